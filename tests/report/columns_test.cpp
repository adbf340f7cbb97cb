// Tables of results with only some columns read.
#include <cmath>

#include "core/base/text.hpp"
#include "core/report/table.hpp"
#include "core/report/tuning.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

std::filesystem::path varied_file(const test::TemporaryFolder& folder) {
  const std::filesystem::path path = folder / "r.h5";
  CaseRecord good = test::synthetic_case("c1"), searched = test::synthetic_case("c2"),
             bad = test::synthetic_case("c3"), reference = test::synthetic_case("c4");
  for (ResultRecord& result : searched.results) {
    result.tuned = "n";
    result.outputs[0].stride = 7;
    result.cold = {};
  }
  bad.results[0].status = Status::kCrashed;
  bad.results[0].phase = Phase::kRun;
  bad.results[0].reason = "it went wrong";
  bad.results[0].detail = "a last line";
  bad.results[1].outputs[0].mode = "none";
  searched.results[1].fault = "3 wrong";
  good.results[0].checked_calls = 77;
  good.results[0].input_sets = 2;
  good.results[0].check_time = 3e-6;
  good.results[1].deterministic = false;
  good.results[1].checked_calls = 5;
  good.results[1].input_sets = 1;
  reference.results[0].kind = VariantKind::kReference;
  reference.results[1].outputs[0].max_abs_err = 0;
  OutputRecord& overrun = bad.results[0].outputs[0];
  overrun.max_abs_err = overrun.max_rel_err = kMissing;
  reference.results[1].hot = {};
  reference.results[1].cold = {};
  reference.results[1].host = searched.results[0].hot;
  for (const CaseRecord& record : {good, searched, bad, reference})
    write_shard(shard_folder(path, "a"), record, test::synthetic_outputs());
  merge_shards(path);
  return path;
}

TEST_CASE("Tables are equal whether all columns were read or only theirs") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = varied_file(folder);
  const ResultFile all = read_results(path);
  const ResultFile some = read_results(path, {Samples::kOmit, true, table_columns()});

  CHECK(results_table(some.results) == results_table(all.results));
  CHECK(tuning_table(some.results) == tuning_table(all.results));
  CHECK(launches_table(some.results) == launches_table(all.results));
  CHECK_THAT(results_table(some.results),
             Contains("NaN") && Contains("3 wrong") && Contains(", varies") &&
                 Contains("Checked: 82 calls of 2 results, 1 of them on two sets") &&
                 Contains(", one set"));
  CHECK_FALSE(tuning_table(all.results).empty());
}

TEST_CASE("Columns that are not requested are not read") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = varied_file(folder);
  static constexpr std::string_view kStatus[] = {"status"};
  const ResultFile all = read_results(path);
  const ResultFile some = read_results(path, {Samples::kOmit, false, kStatus});

  REQUIRE(some.results.size() == all.results.size());
  for (std::size_t k = 0; k < all.results.size(); ++k) {
    const ResultRecord &got = some.results[k], &whole = all.results[k];
    CHECK(got.case_id == whole.case_id);
    CHECK(got.variant == whole.variant);
    CHECK(got.attempt == whole.attempt);
    CHECK(got.status == whole.status);
    CHECK(got.stop_reason.empty());
    CHECK(std::isnan(got.cold.median));
    CHECK(got.launches.empty());
    CHECK(got.params.empty());
    CHECK(got.outputs.empty());
    CHECK(some.environment_of[k] == all.environment_of[k]);
    CHECK(some.job_of[k] == all.job_of[k]);
  }
}

TEST_CASE("Visited results are those that are read, of shards and of files") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = varied_file(folder);
  write_shard(shard_folder(path, "b"), test::synthetic_case("c2", 2), {});
  write_shard(shard_folder(path, "b"), test::synthetic_case("c9"), {});
  std::vector<ResultRecord> visited;
  const ResultFile rest =
      visit_results(path, {}, [&](ResultRecord record) { visited.push_back(std::move(record)); });
  const ResultFile all = read_results(path);

  CHECK(rest.results.empty());
  CHECK(rest.jobs.size() == all.jobs.size());
  CHECK(rest.environments.size() == all.environments.size());
  REQUIRE(visited.size() == all.results.size());
  CHECK(visited.size() == 10);
  for (std::size_t k = 0; k < visited.size(); ++k)
    CHECK(to_json(visited[k]) == to_json(all.results[k]));
}

TEST_CASE("A shard of large arrays is read in part, and is the same") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "r.h5";
  CaseRecord record = test::synthetic_case("c1");
  const std::vector<double> values(1 << 18, 0.5);
  for (ResultRecord& result : record.results) {
    result.outputs[0].shape = {1 << 18};
    result.outputs[0].dimensions = {"n"};
    result.outputs[0].xxh3 = hash_hex(std::as_bytes(std::span(values)));
  }
  const auto bytes = std::as_bytes(std::span(values));
  const std::vector<OutputData> outputs{{"elementwise", "z", bytes}, {"raw", "z", bytes}};
  write_shard(shard_folder(path, "a"), record, outputs, {.deflate = 0});
  const std::filesystem::path shard = shard_folder(path, "a") / "c1.h5";
  REQUIRE(std::filesystem::file_size(shard) > (2u << 20));

  CHECK(read_results(path).results.size() == 2);
  CHECK(read_output(path, "c1", "raw", "z").shape == std::vector<std::int64_t>{1 << 18});
  std::filesystem::resize_file(shard, 3u << 20);
  CHECK(read_results(path).problems.size() == 1);
}

}  // namespace
}  // namespace kernelbatch
