#include "core/run/run_summary.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

ResultRecord result(Status status) {
  ResultRecord record;
  record.status = status;
  record.samples.resize(100);
  record.launches.resize(10);
  record.kernels.resize(10);
  return record;
}

TEST_CASE("A large run keeps the first results and some failures, and counts all") {
  RunSummary summary;
  summary.listed = 100;
  for (int k = 0; k < 1000; ++k) summary.add(result(k % 10 == 9 ? Status::kCrashed : Status::kOk));
  CHECK(summary.total == 1000);
  CHECK(summary.of_status[static_cast<std::size_t>(Status::kOk)] == 900);
  CHECK(summary.of_status[static_cast<std::size_t>(Status::kCrashed)] == 100);
  CHECK(summary.results.size() == 105);
  CHECK(summary.omitted() == 895);
  CHECK(summary.results.back().status == Status::kCrashed);
  for (const ResultRecord& record : summary.results) {
    CHECK(record.samples.capacity() == 0);
    CHECK(record.launches.capacity() == 0);
    CHECK(record.kernels.capacity() == 0);
  }
}

TEST_CASE("The exit code is that of the worst result, kept or not") {
  const auto code = [](std::vector<Status> statuses) {
    RunSummary summary;
    summary.listed = 1;
    for (const Status status : statuses) summary.add(result(status));
    return summary.exit_code();
  };
  CHECK(code({}) == ExitCode::kOk);
  CHECK(code({Status::kOk, Status::kSkipped}) == ExitCode::kOk);
  CHECK(code({Status::kOk, Status::kOk, Status::kTimedOut}) == ExitCode::kCaseFailed);
  CHECK(code({Status::kOk, Status::kCrashed, Status::kVerificationFailed}) ==
        ExitCode::kVerificationFailed);
  CHECK(code({Status::kOk, Status::kSuspect}) == ExitCode::kVerificationFailed);
  CHECK(code({Status::kSuspect, Status::kCrashed}) == ExitCode::kVerificationFailed);
}

TEST_CASE("Unmerged shards and an interruption take precedence over any result") {
  RunSummary summary;
  summary.add(result(Status::kCrashed));
  summary.problems.push_back("a shard");
  CHECK(summary.exit_code() == ExitCode::kStoreFailed);
  summary.was_interrupted = true;
  CHECK(summary.exit_code() == ExitCode::kResumable);
}

}  // namespace
}  // namespace kernelbatch
