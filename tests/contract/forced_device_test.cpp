// Fails if the requested device is not the one that runs: after a silent fall-back all other GPU
// tests would run on the host.
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kWhereAmI = R"(
extern "C" __global__ void where_am_i(int* on_host) {
#ifdef KERNELBATCH_ON_HOST
  *on_host = 1;
#else
  *on_host = 0;
#endif
}
)";

TEST_CASE("The requested device is the one that runs") {
  CHECK(test::device().properties().backend->name == test::wanted_device());

  const Array on_host = test::device_array<int>({-1});
  RawKernel(kWhereAmI, "where_am_i")(test::stream(), LaunchShape{}, on_host);
  CHECK(test::values_of<int>(on_host)[0] == (test::wanted_device() == "host" ? 1 : 0));
}

}  // namespace
}  // namespace kernelbatch
