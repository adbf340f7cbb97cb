// CUPTI where it may be absent, without a driver, or held by another tool.
#include "core/device/cuda/cupti.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A session opens, or there is a reason why not; never both") {
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::string reason;
    const auto session = cuda::CuptiSession::open(reason);
    CAPTURE(reason);
    CHECK((session == nullptr) == !reason.empty());
    if (session) CHECK(session->finish(reason).empty());
  }
}

TEST_CASE("KERNELBATCH_CUPTI=0 keeps CUPTI out") {
  const test::EnvironmentVariable off("KERNELBATCH_CUPTI", "0");
  std::string reason;
  CHECK(cuda::CuptiSession::open(reason) == nullptr);
  CHECK(reason == "KERNELBATCH_CUPTI=0");
}

}  // namespace
}  // namespace kernelbatch
