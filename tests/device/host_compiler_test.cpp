#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

TEST_CASE("Flags from the environment come last and are part of the key") {
  const auto run_with = [](const std::string& flags) {
    const test::EnvironmentVariable set("KERNELBATCH_HOST_CXXFLAGS", flags);
    const LoadedKernel loaded(R"(
#ifndef VALUE
#define VALUE 1
#endif
extern "C" __global__ void store(int* x) {
#ifdef __OPTIMIZE__
  *x = VALUE;
#else
  *x = -VALUE;
#endif
})",
                              "store");
    const Array x = test::device_array(std::vector<int>{0});
    loaded.run(grid_of(1, 1), x);
    return test::values_of<int>(x)[0];
  };
  CHECK(run_with("") == 1);
  CHECK(run_with("-DVALUE=7") == 7);
  CHECK(run_with(" -O0  -DVALUE=8 ") == -8);
  CHECK(run_with("") == 1);
}

}  // namespace
}  // namespace kernelbatch
