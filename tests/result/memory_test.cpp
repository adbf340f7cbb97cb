// Memory per result during a merge of very many.
#include <malloc.h>

#include "core/result/named_columns.hpp"
#include "core/result/shard_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// Currently allocated bytes; a sanitizer's allocator reports 0.
std::size_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_CASE("A result's parameters take about nine bytes each") {
  NamedValues row{{"n", std::int64_t{0}}, {"alpha", 0.5}, {"dtype", std::string("float32")}};
  constexpr std::int64_t kRows = 500'000;
  const std::size_t before = allocated();
  NamedColumns named;
  for (std::int64_t n = 0; n < kRows; ++n) {
    row[0].second = n;
    named.add_row(row);
  }
  CHECK(allocated() - before < std::size_t{kRows} * 3 * 12);
}

TEST_CASE("Shards of one folder do not each hold its path") {
  const auto folder = std::make_shared<const std::filesystem::path>(
      "/a/folder/with/a/path/as/long/as/they/are/on/file/systems/of/clusters/results.h5.d/0");
  constexpr std::size_t kShards = 20'000;
  const std::size_t before = allocated();
  std::vector<ShardFile> shards;
  shards.reserve(kShards);
  for (std::size_t k = 0; k < kShards; ++k)
    shards.emplace_back(folder, "0123456789abcdef.h5", std::size_t{16});
  CHECK(allocated() - before < kShards * 160);
  CHECK(shards.back().path() == *folder / "0123456789abcdef.h5");
  CHECK(shards.back().case_id() == "0123456789abcdef");
}

TEST_CASE("HDF5 caches no chunks of growing columns") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "r.h5");
  constexpr std::size_t kColumns = 40;
  std::vector<h5::Dataset> columns;
  h5::Group group = file.root().create_group("t");
  const std::vector<std::byte> window(static_cast<std::size_t>(kWindowRows) * 8);
  const std::size_t before = allocated();
  for (std::size_t k = 0; k < kColumns; ++k) {
    columns.push_back(group.create_dataset("c" + std::to_string(k), {.type = h5::Type::kInt64,
                                                                     .shape = {0},
                                                                     .chunk = {kWindowRows},
                                                                     .deflate = 1,
                                                                     .growable = true}));
    columns.back().append(window);
    columns.back().append(window);
  }
  CHECK(allocated() - before < kColumns * window.size() / 2);
}

}  // namespace
}  // namespace kernelbatch
