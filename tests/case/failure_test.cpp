// Failures of variants, as results.
#include "core/case/failure.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

ResultRecord harmed(Status status, const std::string& reason) {
  ResultRecord record;
  record.status = status;
  record.phase = Phase::kMeasure;
  record.reason = reason;
  record.verified = true;
  fail_for({.fatal = "lowered the limit RLIMIT_NOFILE to 4", .recoverable = {}}, record);
  return record;
}

TEST_CASE("A variant that harmed its process fails, whatever its calls were") {
  for (const Status status :
       {Status::kOk, Status::kVerificationFailed, Status::kSuspect, Status::kDropped}) {
    const ResultRecord record = harmed(status, "faster than an empty launch");
    CAPTURE(to_text(status));
    CHECK(record.status == Status::kFailed);
    CHECK(record.phase == Phase::kRun);
    CHECK(record.reason == "the variant lowered the limit RLIMIT_NOFILE to 4");
    CHECK_FALSE(record.verified);
  }
}

TEST_CASE("An earlier failure keeps its status") {
  const ResultRecord record = harmed(Status::kCrashed, "an illegal address");
  CHECK(record.status == Status::kCrashed);
  CHECK(record.phase == Phase::kMeasure);
  CHECK(record.reason == "an illegal address; the variant lowered the limit RLIMIT_NOFILE to 4");
  CHECK_FALSE(record.verified);
}

}  // namespace
}  // namespace kernelbatch
