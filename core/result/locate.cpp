#include "core/result/locate.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

OpenedResults open_file(const fs::path& path, Damaged damaged) {
  try {
    return open_results(path, Expected::kResults, damaged);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

}  // namespace

Located locate(const fs::path& path, Damaged damaged) {
  Located located;
  if (fs::is_directory(path)) {
    located.shards = list_shards(path);
  } else {
    located.shards = list_shards(shards_folder(path));
    if (fs::exists(path)) {
      OpenedResults opened = open_file(path, damaged);
      if (opened.file.root().has(schema::kRecord)) {
        const std::string name = path.filename().string();
        located.shards = {{std::make_shared<const fs::path>(path.parent_path()), name,
                           case_of_shard(name).size()}};
        located.only_shard = true;
      } else {
        located.merged.emplace(path, std::move(opened));
      }
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
