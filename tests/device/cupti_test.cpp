// CUPTI when it is missing, without a driver, or used by another tool.
#include "core/device/cuda/cupti/cupti.hpp"

#include "core/device/launch_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A session opens, or there is a reason; never both") {
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::string reason;
    const auto session = cuda::CuptiSession::open(reason);
    CAPTURE(reason);
    CHECK((session == nullptr) == !reason.empty());
    if (session) CHECK(session->finish(reason).launches.empty());
  }
}

TEST_CASE("KERNELBATCH_CUPTI=0 disables CUPTI") {
  const test::EnvironmentVariable off("KERNELBATCH_CUPTI", "0");
  std::string reason;
  CHECK(cuda::CuptiSession::open(reason) == nullptr);
  CHECK(reason == "KERNELBATCH_CUPTI=0");
}

Launch launch_of(const char* kernel, std::uint32_t blocks, std::int64_t registers = 32) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {blocks};
  launch.block = {256};
  launch.registers = registers;
  return launch;
}

TEST_CASE("A launch with a wrong name from CUPTI gets the name of its call") {
  std::vector<Launch> launches{launch_of("subtract", 586), launch_of("library", 586),
                               launch_of("subtract", 586), launch_of("old", 586, 26)};
  correct_names(launches, {launch_of("subtract", 586), launch_of("subtract", 586),
                           launch_of("multiply", 586, 26)});
  CHECK(launches[0].kernel == "subtract");
  CHECK(launches[1].kernel == "library");
  CHECK(launches[2].kernel == "subtract");
  CHECK(launches[3].kernel == "multiply");
}

TEST_CASE("Few registers match CUPTI's minimum") {
  std::vector<Launch> launches{launch_of("old", 1, 16)};
  correct_names(launches, {launch_of("own", 1, 8)});
  CHECK(launches[0].kernel == "own");
}

TEST_CASE("A call with another launch shape matches none of CUPTI's launches") {
  std::vector<Launch> launches{launch_of("library", 8), launch_of("own", 9)};
  correct_names(launches, {launch_of("other", 7), launch_of("own", 9)});
  CHECK(launches[0].kernel == "library");
  CHECK(launches[1].kernel == "own");
}

}  // namespace
}  // namespace kernelbatch
