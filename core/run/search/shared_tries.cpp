#include "core/run/search/shared_tries.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

std::string key_of(const std::string& case_id, const std::string& variant) {
  return fmt::format("tries/{}.{}", case_id, variant);
}

}  // namespace

SharedTries::SharedTries(fs::path folder, bool is_fresh, Claims& claims)
    : folder_(std::move(folder)), claims_(&claims) {
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

bool SharedTries::claim(const std::string& case_id, const std::string& variant) const {
  const Claims::Taken taken = claims_->take(key_of(case_id, variant));
  return taken == Claims::Taken::kFirst || taken == Claims::Taken::kAgain;
}

void SharedTries::release(const std::string& case_id, const std::string& variant) const {
  claims_->release(key_of(case_id, variant));
}

}  // namespace kernelbatch
