#include "core/store/locate.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/store/schema.hpp"
#include "core/store/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

bool is_shard(const fs::path& path) { return open_results(path).root().has(schema::kRecord); }

}  // namespace

Located locate(const fs::path& path) {
  Located located;
  if (fs::is_directory(path)) {
    located.shards = list_shards(path);
  } else {
    located.shards = list_shards(shards_folder(path));
    const bool is_there = fs::exists(path);
    if (is_there && is_shard(path)) {
      located.shards = {{std::make_shared<const fs::path>(path.parent_path()),
                         path.filename().string(), path.stem().string().size()}};
      located.only_shard = true;
    } else if (is_there) {
      located.merged.emplace(path);
    }
  }
  if (!located.merged && located.shards.empty())
    throw SpecError(
        fmt::format("there are no results at '{}': it is neither a results file nor a "
                    "folder of shards, and '{}' holds none",
                    path.string(), shards_folder(path).string()));
  return located;
}

}  // namespace kernelbatch
