// Catch2's main. With KERNELBATCH_TEST_DEVICE=cuda on a machine without a usable GPU the run exits
// 77, which CTest reports as skipped.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const char* wanted = std::getenv("KERNELBATCH_TEST_DEVICE");
  if (wanted != nullptr && std::string_view(wanted) == "cuda") {
    try {
      kernelbatch::choose_device("cuda");
    } catch (const kernelbatch::DeviceError& error) {
      std::printf("skipped: %s\n", error.what());
      return kSkipped;
    }
  }
  return Catch::Session().run(argc, argv);
}
