// Supervisor: cases that the processes of one job share.
#include <fmt/format.h>

#include "core/base/claims.hpp"
#include "core/base/sha256.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/queue/work_queue.hpp"
#include "core/run/running.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

/// Null if no other process can work on the job's cases or searches.
std::unique_ptr<Claims> Supervisor::claims_of(const Running& running) const {
  const bool has_fixed_parts = options_.queue.empty();
  if (options_.shard.count == 1 || (has_fixed_parts && running.plan.searches.empty()))
    return nullptr;
  // Another job, or another number of parts, has other claims.
  const std::string job = sha256_hex(fmt::format("{} {}", options_.shard.count, resolved_));
  const std::string name = fmt::format(
      "{}{}-{}", kClaimsPrefix, has_fixed_parts ? "parts" : options_.queue, job.substr(0, 8));
  return std::make_unique<Claims>(shards_folder(fs::absolute(output_file(running.job))) / name,
                                  std::to_string(options_.shard.index));
}

Supervisor::Continue Supervisor::run_queue(Running& running) {
  const JobShard own = options_.shard;
  WorkQueue queue(*running.claims, own, running.plan.cases, [&](std::size_t part) {
    return options_.plan_part({part, own.count});
  });
  while (const auto work = queue.next()) {
    std::vector<const PlannedCase*> cases;
    for (const PlannedCase& planned : work->cases) cases.push_back(&planned);
    // Results of its own part are known, except those that another process has just stored.
    FinishedResults others;
    const bool is_known = work->is_own && work->is_first;
    if (!is_known && options_.is_resumed)
      others = FinishedResults(fs::absolute(output_file(running.job)), cases, kListedResults,
                               ingredients_);
    if (run_cases(running, cases, is_known ? finished_ : others) == Continue::kNo)
      return Continue::kNo;
    queue.finish(*work);
  }
  return Continue::kYes;
}

}  // namespace kernelbatch
