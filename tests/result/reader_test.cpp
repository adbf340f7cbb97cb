#include "core/result/reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/h5/h5.hpp"
#include "core/result/merge.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

fs::path merged_file(const test::TemporaryFolder& folder) {
  const fs::path path = folder / "r.h5";
  write_shard(shard_folder(path, "a"), test::synthetic_case("c1"), test::synthetic_outputs());
  merge_shards(path);
  return path;
}

template <class Expected>
void check_refused(const fs::path& path, const std::string& why) {
  INFO(why);
  CHECK_THROWS_AS(read_results(path), Expected);
  CHECK_THROWS_WITH(read_results(path), Contains(path.string()) && Contains(why));
}

}  // namespace

TEST_CASE("inline kernels of earlier versions get their job's name") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "r.h5";
  CaseRecord record = test::synthetic_case("c1");
  for (ResultRecord& result : record.results) result.workload = "inline";
  write_shard(shard_folder(path, "a"), record, test::synthetic_outputs());
  const auto check_names = [&] {
    const std::vector<ResultRecord> results = read_results(path).results;
    CHECK(results.size() == record.results.size());
    for (const ResultRecord& result : results) CHECK(result.workload == record.job.name);
  };
  check_names();
  merge_shards(path);
  check_names();
}

TEST_CASE("a path without results is reported") {
  const test::TemporaryFolder folder;

  check_refused<SpecError>(folder / "absent.h5", "no results");
  check_refused<SpecError>(folder.path(), "no results");
}

TEST_CASE("a file that is not HDF5 is refused") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "notes.txt") << "hello";
  std::ofstream(folder / "empty.h5") << "";

  check_refused<SpecError>(folder / "notes.txt", "not HDF5");
  check_refused<SpecError>(folder / "empty.h5", "not HDF5");
}

TEST_CASE("a truncated file is refused") {
  const test::TemporaryFolder folder;
  const fs::path path = merged_file(folder);
  fs::resize_file(path, fs::file_size(path) - 100);

  check_refused<StoreError>(path, "truncated");
}

TEST_CASE("another program's HDF5 is refused") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "other.h5");
  file.root().set("title", "weather");
  file.close();

  check_refused<SpecError>(folder / "other.h5", "another program's");
}

TEST_CASE("a newer schema is refused with advice") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "new.h5");
  file.root().set("kernelbatch_schema", "3");
  file.close();

  check_refused<SpecError>(folder / "new.h5", "newer kernelbatch");
}

TEST_CASE("a file that lacks a table is refused with its name") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "bare.h5");
  file.root().set("kernelbatch_schema", "1");
  file.close();

  check_refused<StoreError>(folder / "bare.h5", "lacks the table");
}

TEST_CASE("an output that was not stored is refused") {
  const test::TemporaryFolder folder;
  const fs::path path = merged_file(folder);

  CHECK_THROWS_AS(read_output(path, "c1", "raw", "y"), SpecError);
  CHECK_THROWS_AS(read_output(path, "c1", "fused", "z"), SpecError);
  CHECK_THROWS_WITH(read_output(path, "c2", "raw", "z"), Contains("case 'c2'"));
}

TEST_CASE("a damaged byte of a large output is detected") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "r.h5";
  CaseRecord record = test::synthetic_case("c1");
  const std::vector<double> values(20'000, 1.0 / 3);
  record.results[0].outputs[0].shape = {20'000};
  record.results[0].outputs[0].xxh3 = hash_hex(std::as_bytes(std::span(values)));
  const OutputData data{"elementwise", "z", std::as_bytes(std::span(values))};
  write_shard(shard_folder(path, "a"), record, std::span(&data, 1), {.deflate = 0});
  merge_shards(path);
  std::string bytes = read_file(path);
  const std::string third(reinterpret_cast<const char*>(values.data()), sizeof(double));
  const std::size_t at = bytes.find(third + third + third);
  REQUIRE(at != std::string::npos);
  bytes[at + 100] = static_cast<char>(bytes[at + 100] ^ 1);
  write_file_atomically(path, bytes);

  CHECK_THROWS_AS(read_output(path, "c1", "elementwise", "z"), StoreError);
}

TEST_CASE("data on a result's calls are read back") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "r.h5";
  CaseRecord before = test::synthetic_case("c1");
  ResultRecord& wrong = before.results[0];
  wrong.status = Status::kVerificationFailed;
  wrong.fault = "never written";
  ResultRecord& doubted = before.results[1];
  doubted.status = Status::kSuspect;
  doubted.reason = "it keeps answers";
  doubted.checked_calls = 123;
  doubted.input_sets = 2;
  doubted.input_seed = 2'000'000'001;
  doubted.digest = "in:00ff out:0123";
  doubted.check_time = 2.5e-6;
  doubted.least_bytes = 1e9;
  doubted.deterministic = false;
  write_shard(shard_folder(path, "a"), before, test::synthetic_outputs());
  merge_shards(path);
  const ResultFile file = read_results(path);
  REQUIRE(file.results.size() == 2);
  const ResultRecord &first = file.results[0], &second = file.results[1];
  CHECK(first.status == Status::kVerificationFailed);
  CHECK(first.fault == "never written");
  CHECK(first.checked_calls == -1);
  CHECK(first.input_sets == -1);
  CHECK(std::isnan(first.check_time));
  CHECK(second.status == Status::kSuspect);
  CHECK(second.fault.empty());
  CHECK(second.checked_calls == 123);
  CHECK(second.input_sets == 2);
  CHECK(second.input_seed == 2'000'000'001);
  CHECK(second.digest == "in:00ff out:0123");
  CHECK(second.check_time == 2.5e-6);
  CHECK(second.least_bytes == 1e9);
  CHECK(second.deterministic == false);
}

TEST_CASE("why a result is suspect has a column of its own") {
  const auto columns = schema::results();
  const auto found = std::ranges::find_if(
      columns, [](const auto& column) { return column.info.name == "suspect_reason"; });
  REQUIRE(found != columns.end());
  ResultRecord record;
  record.reason = "it keeps answers";
  for (const Status status : {Status::kOk, Status::kVerificationFailed, Status::kCrashed}) {
    record.status = status;
    CHECK(found->get(record) == Value(std::string()));
  }
  record.status = Status::kSuspect;
  CHECK(found->get(record) == Value(std::string("it keeps answers")));
}

TEST_CASE("files of schema 1, written when it was current, are read") {
  const fs::path folder = fs::path(test::source_folder()) / "tests/result/data/schema_1";
  ResultRecord old = test::synthetic_case("c1").results[1];
  old.run = -1;
  old.counters.clear();
  old.outputs[0].xxh3 = "0123456789abcdef0123456789abcdef";
  const std::string expected = to_json(old);
  for (const char* name : {"merged.h5", "c1.h5"}) {
    CAPTURE(name);
    const ResultFile file = read_results(folder / name);
    REQUIRE(file.results.size() == 2);
    CHECK(to_json(file.results[1]) == expected);
    CHECK(file.jobs.at(0).name == "demo");
    CHECK(file.environments.at(0).values == test::synthetic_case("c1").environment.values);
    CHECK(file.calibration.at(0).noise_floor == 0.005);
    const StoredOutput z = read_output(folder / name, "c1", "raw", "z");
    CHECK(std::ranges::equal(z.bytes, std::as_bytes(std::span(test::z_values()))));
  }
}

TEST_CASE("a file of commit 0769ed4, before variants returned their work, is read") {
  const fs::path path =
      fs::path(test::source_folder()) / "tests/result/data/schema_2/before_rooms.h5";
  const ResultFile file = read_results(path);
  REQUIRE(file.results.size() == 2);
  for (const ResultRecord& record : file.results) {
    CHECK(record.status == Status::kOk);
    CHECK(record.verified);
    CHECK(record.ranked_time() > 0);
    CHECK(record.cold.samples == 2);
  }
  CHECK(file.results[1].variant == "elementwise");
  CHECK(file.jobs.at(0).name == "before");
  CHECK(file.calibration.size() == 1);
  const StoredOutput c = read_output(path, file.results[1].case_id, "elementwise", "c");
  CHECK(c.bytes.size() == 16 * sizeof(float));
  CHECK(std::ranges::equal(c.bytes,
                           read_output(path, file.results[0].case_id, "reference", "c").bytes));
}
