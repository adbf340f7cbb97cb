// Earlier results found by a shard of a job, for any number of tasks that left them.
#include "core/run/finished_results.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/base/process.hpp"
#include "core/result/merge.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/partition.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// A job of 200 cases c0 … c199, and its tasks' results.
class Job {
 public:
  Job() {
    for (std::size_t number = 0; number < 200; ++number)
      cases_.push_back({test::case_name(static_cast<int>(number)), number, 0, {}, 199 - number});
  }
  fs::path file() const { return folder_ / "out.h5"; }
  fs::path folder_of(std::size_t index, std::size_t count) const {
    return shard_folder(file(), shard_name({index, count}));
  }
  /// Stores the task's part as finished.
  void run(std::size_t index, std::size_t count, int attempt = 1) const {
    for (const PlannedCase* each : part(index, count))
      write_shard(folder_of(index, count), test::synthetic_case(each->case_id, attempt, 1), {});
  }
  std::vector<const PlannedCase*> part(std::size_t index, std::size_t count) const {
    std::vector<const PlannedCase*> cases;
    for (const PlannedCase& each : cases_)
      if (owner_of(*each.rank, count) == index) cases.push_back(&each);
    return cases;
  }
  void forget_ranks() {
    for (PlannedCase& each : cases_) each.rank.reset();
  }

  /// Number of a part's cases that are found.
  std::size_t found(std::size_t index, std::size_t count) const {
    const FinishedResults finished(file(), part(index, count));
    std::size_t found = 0;
    for (const PlannedCase& each : cases_)
      if (finished.of(each.case_id).size() == 2) ++found;
    return found;
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<PlannedCase> cases_;
};

TEST_CASE("Without earlier runs nothing is found") {
  const Job job;
  CHECK(job.found(0, 1) == 0);
  CHECK(job.found(3, 100) == 0);
}

TEST_CASE("Results are found whatever the number of tasks was and is") {
  const std::size_t before = GENERATE(1u, 4u, 100u);
  if (before > 4 && environment("KERNELBATCH_TEST_QUICK")) return;
  Job job;
  for (std::size_t index = 0; index < before; ++index) job.run(index, before);
  for (const std::size_t now : {1u, 4u, 30u, 100u})
    for (const std::size_t index : {std::size_t{0}, now - 1})
      CHECK(job.found(index, now) == job.part(index, now).size());
  merge_shards(job.file(), {.source = "test"});
  CHECK(job.found(0, 1) == 200);
  CHECK(job.found(29, 30) == job.part(29, 30).size());
}

TEST_CASE("Without ranks, as in a plan of the whole job, every folder is read") {
  Job job;
  for (std::size_t index = 0; index < 100; ++index) job.run(index, 100);
  job.forget_ranks();
  CHECK(job.found(0, 1) == 200);
}

TEST_CASE("Only the part's own cases are read, of merged and of single results") {
  const Job job;
  for (std::size_t index = 0; index < 80; ++index) job.run(index, 100);
  // Another task's folder that cannot be listed does not matter to this one.
  std::ofstream(job.folder_of(60, 100) / "c60.h5", std::ios::trunc) << "no shard";
  CHECK(job.found(5, 100) == 2);
  CHECK(job.found(60, 100) == 1);
  CHECK(job.found(90, 100) == 0);
  merge_shards(job.file(), {.source = "test"});
  job.run(90, 100);
  CHECK(job.found(5, 100) == 2);
  CHECK(job.found(90, 100) == 2);
}

TEST_CASE("The newest of several attempts is found") {
  const Job job;
  job.run(0, 100);
  merge_shards(job.file(), {.source = "test"});
  job.run(0, 100, 3);
  job.run(0, 2, 2);
  const FinishedResults finished(job.file(), job.part(0, 100));
  for (const FinishedResult& record : finished.of("c0")) CHECK(record.order.attempt == 3);
  CHECK(finished.of("c0").size() == 2);
}

TEST_CASE("Results beyond the listed number keep only the deciding data, failures keep all") {
  const Job job;
  job.run(0, 1);
  CaseRecord failed = test::synthetic_case("c150", 1, 1);
  failed.results[1].status = Status::kVerificationFailed;
  failed.results[1].reason = "off by one";
  write_shard(job.folder_of(0, 1), failed, {});
  FinishedResults finished(job.file(), job.part(0, 1), 20);
  std::size_t whole = 0;
  for (const PlannedCase* each : job.part(0, 1))
    for (FinishedResult& result : finished.take(each->case_id)) {
      CAPTURE(each->case_id, result.variant);
      whole += result.whole ? 1 : 0;
      const bool is_failed = each->case_id == "c150" && result.variant == failed.results[1].variant;
      CHECK(result.cold.median ==
            failed.results[result.variant == failed.results[1].variant].cold.median);
      const ResultRecord record = std::move(result).record();
      CHECK(record.status == (is_failed ? Status::kVerificationFailed : Status::kOk));
      if (is_failed) CHECK(record.reason == "off by one");
    }
  CHECK(whole >= 20);
  CHECK(whole <= 21);
  CHECK(finished.of("c3").empty());  // taken
}

TEST_CASE("An environment failure is never final, whatever its status and attempt") {
  FinishedResult result;
  for (const Status status : {Status::kSkipped, Status::kFailed, Status::kCrashed}) {
    result.status = status;
    result.order.attempt = 100;
    result.retryable = false;
    CHECK(is_final(result, 1));
    result.retryable = true;
    CHECK_FALSE(is_final(result, 1));
  }
}

TEST_CASE("An environment failure is read back from shards and from the merged file") {
  const Job job;
  CaseRecord record = test::synthetic_case("c5", 1, 1);
  record.results[0].status = Status::kSkipped;
  record.results[0].retryable = true;
  write_shard(job.folder_of(0, 1), record, {});
  const auto is_found = [&] {
    const FinishedResults finished(job.file(), job.part(0, 1));
    REQUIRE(finished.of("c5").size() == 2);
    for (const FinishedResult& result : finished.of("c5"))
      CHECK(result.retryable == (result.variant == record.results[0].variant));
  };
  is_found();
  merge_shards(job.file());
  is_found();
}

}  // namespace
}  // namespace kernelbatch
