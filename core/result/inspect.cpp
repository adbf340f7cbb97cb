#include "core/result/inspect.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/result/collect.hpp"
#include "core/result/open_results.hpp"
#include "core/result/output.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

std::int64_t verify_merged(const fs::path& path, OpenedResults opened) {
  MergedFile merged(path, std::move(opened));
  std::int64_t arrays = 0;
  for (std::size_t row = 0; row < merged.case_ids().size(); ++row)
    arrays += verify_arrays(collect_row(merged, static_cast<std::int64_t>(row), {}));
  return arrays;
}

std::int64_t verify_shard(OpenedResults opened) {
  Shard shard(std::move(opened), Samples::kInclude);
  shard.verify_separate_outputs();
  std::int64_t arrays = 0;
  for (ResultRecord& record : shard.record().results)
    arrays += verify_arrays({std::move(record), nullptr, nullptr, &shard});
  return arrays;
}

InspectedFile inspect(const fs::path& path, Expected expected) {
  InspectedFile inspected;
  inspected.path = path;
  try {
    OpenedResults opened = open_results(path, expected);
    inspected.has_digest = opened.schema >= schema::kFirstWithDigest;
    inspected.arrays = opened.file.root().has(schema::kRecord)
                           ? verify_shard(std::move(opened))
                           : verify_merged(path, std::move(opened));
  } catch (const StoreError& error) {
    inspected.problem = error.what();
  } catch (const SpecError& error) {
    inspected.problem = error.what();
  }
  return inspected;
}

}  // namespace

void inspect_results(const fs::path& path, const std::function<void(const InspectedFile&)>& visit) {
  const bool is_folder = fs::is_directory(path);
  const fs::path folder = is_folder ? path : shards_folder(path);
  bool has_any = false;
  const auto give = [&](const InspectedFile& inspected) {
    has_any = true;
    visit(inspected);
  };
  if (!is_folder && fs::exists(path)) give(inspect(path, Expected::kResults));
  for (const ShardFile& shard : list_shards(folder)) give(inspect(shard.path(), Expected::kShard));
  for (const fs::path& aside : list_set_aside(folder))
    give({.path = aside,
          .problem = "a merge set it aside: it could not be read",
          .arrays = 0,
          .has_digest = true});
  if (!has_any)
    throw SpecError(
        fmt::format("there are no results at '{}': neither a results file nor a folder "
                    "of shards",
                    path.string()));
}

}  // namespace kernelbatch
