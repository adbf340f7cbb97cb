#include "core/run/search/shared_tries.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

SharedTries::SharedTries(fs::path folder, bool is_fresh) : folder_(std::move(folder)) {
  if (!is_fresh) return;
  for (const ShardFile& shard : list_shards(folder_)) seen_.insert(shard.path());
}

void SharedTries::read(const std::function<void(const ResultRecord&)>& visit) {
  for (const ShardFile& shard : list_shards(folder_)) {
    if (!seen_.insert(shard.path()).second) continue;
    try {
      const Shard whole(shard.path(), Samples::kOmit);
      for (const ResultRecord& record : whole.record().results) visit(record);
    } catch (const Error&) {
      // A merge removed it, or will report the problem.
    }
  }
}

std::unique_ptr<FileLock> SharedTries::claim(const std::string& case_id,
                                             const std::string& variant) const {
  auto lock =
      std::make_unique<FileLock>(folder_ / fmt::format(".{}.{}{}", case_id, variant, kClaimSuffix),
                                 std::chrono::milliseconds(0));
  if (lock->state() == FileLock::State::kTaken) return nullptr;
  return lock;
}

}  // namespace kernelbatch
