// Files of a history.
#include <fstream>

#include "core/base/error.hpp"
#include "core/report/history/history.hpp"
#include "core/report/history/history_index.hpp"
#include "core/report/history/result_places.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/report/history/made_up_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {
namespace fs = std::filesystem;

test::MadeUpRun one_result(std::int64_t start_ns = test::kFirstDay, double median = 1e-3) {
  return {.results = {test::made_up_result("c0", "raw", 1000, start_ns, median)}};
}

std::vector<std::string> names_below(const fs::path& folder) {
  const std::vector<std::string> folders{folder.string()};
  std::vector<std::string> names;
  for (const auto& place : history::find_places(folders).places)
    names.push_back(place.path.lexically_relative(fs::canonical(folder)).string());
  return names;
}

History history_of(const fs::path& folder) { return load_history({.folders = {folder.string()}}); }

using FileNames = std::vector<std::string>;

TEST_CASE("files of a history are found in all folders below") {
  const test::TemporaryFolder folder;
  test::write_run(folder / "a/deep/er/x.h5", one_result());
  test::write_run(folder / "b.h5", one_result(test::kFirstDay + 1));
  std::ofstream(folder / "notes.txt") << "ignored";
  CHECK(names_below(folder.path()) == FileNames{"a/deep/er/x.h5", "b.h5"});
  CHECK(history_of(folder.path()).runs() == 2);
}

TEST_CASE("an inode of a history counts once, by its own name") {
  const test::TemporaryFolder folder;
  test::write_run(folder / "z.h5", one_result());
  fs::create_symlink(folder / "z.h5", folder / "a.h5");
  CHECK(names_below(folder.path()) == FileNames{"z.h5"});
  fs::create_hard_link(folder / "z.h5", folder / "b.h5");
  CHECK(names_below(folder.path()) == FileNames{"b.h5"});
  fs::create_directory(folder / "sub");
  fs::create_directory_symlink(folder.path(), folder / "sub/loop");
  CHECK(names_below(folder.path()) == FileNames{"b.h5"});
  const std::vector<std::string> twice{folder.path().string(), (folder / "sub/..").string()};
  CHECK(history::find_places(twice).places.size() == 1);
}

TEST_CASE("a copy of a result file adds no point to a history") {
  const test::TemporaryFolder folder;
  test::write_run(folder / "a.h5", one_result());
  fs::copy_file(folder / "a.h5", folder / "b.h5");
  const History history = history_of(folder.path());
  REQUIRE(history.series.size() == 1);
  CHECK(history.files.size() == 2);
  CHECK(history.series[0].points.size() == 1);
}

TEST_CASE("shards that are not merged are one file of a history") {
  const test::TemporaryFolder folder;
  CaseRecord record;
  record.case_id = "c0";
  record.results = one_result().results;
  write_shard(shard_folder(folder / "r.h5", "a"), record, {});
  CHECK(names_below(folder.path()) == FileNames{"r.h5"});
  CHECK(history_of(folder.path()).series.at(0).points.size() == 1);
  CHECK(history_of(folder / "r.h5.d").series.size() == 1);
  CHECK_FALSE(fs::exists(folder / "r.h5.d" / history::kIndexName));
  record.case_id = record.results[0].case_id = "c1";
  record.results[0].params = {{"n", std::int64_t{5}}};
  write_shard(shard_folder(folder / "r.h5", "a"), record, {});
  CHECK(history_of(folder.path()).series.size() == 2);
  test::write_run(folder / "r.h5", one_result(test::kFirstDay + 1));  // and merged ones next to it
  CHECK(history_of(folder / "r.h5.d").runs() == 1);
  CHECK(history_of(folder.path()).runs() == 1);
}

TEST_CASE("unreadable parts of a history are listed with their reason and left out") {
  const test::TemporaryFolder folder;
  test::write_run(folder / "good.h5", one_result());
  test::write_run(folder / "cut.h5", one_result(test::kFirstDay + 1));
  fs::resize_file(folder / "cut.h5", fs::file_size(folder / "cut.h5") - 100);
  test::write_run(folder / "bit.h5", one_result(test::kFirstDay + 2));
  {
    std::fstream file(folder / "bit.h5", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(10'000);
    file << "another content";
  }
  std::ofstream(folder / "foreign.h5") << "no HDF5";
  for (int again = 0; again < 2; ++again) {
    const History history = history_of(folder.path());
    CHECK(history.left_out == 3);
    REQUIRE(history.problems.size() == 3);
    CHECK_THAT(history.problems[0], Contains("bit.h5") && Contains("damaged"));
    CHECK_THAT(history.problems[1], Contains("cut.h5") && Contains("truncated"));
    CHECK_THAT(history.problems[2], Contains("foreign.h5") && Contains("not HDF5"));
    CHECK(history.runs() == 1);
  }
}

TEST_CASE("a history of nothing is refused") {
  const test::TemporaryFolder folder;
  const auto refusal = [&](HistoryRequest request) {
    return test::error_text<SpecError>([&] { (void)load_history(request); });
  };
  const std::string path = folder.path().string();
  CHECK_THAT(refusal({.folders = {path + "/absent"}}), Contains("absent"));
  CHECK_THAT(refusal({.folders = {path}}), Contains("no result file"));
  std::ofstream(folder / "foreign.h5") << "no HDF5";
  CHECK_THAT(refusal({.folders = {path}}), Contains("none of the 1 files") && Contains("foreign"));
  test::write_run(folder / "good.h5", one_result());
  HistoryRequest request{.folders = {path}};
  request.filter.workload = "saxpi";
  CHECK_THAT(refusal(request), Contains("did you mean 'saxpy'"));
  request.filter = {};
  request.filter.device = "H100";
  CHECK_THAT(refusal(request), Contains("Example GPU"));
  request.filter.device = "example";
  CHECK(load_history(request).series.size() == 1);
  request.filter.since_ns = test::kFirstDay + 1;
  CHECK_THAT(refusal(request), Contains("no result has all"));
}

}  // namespace
}  // namespace kernelbatch
