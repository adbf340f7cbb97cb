// Catch2's main. With KERNELBATCH_TEST_DEVICE=cuda on a machine without a usable GPU the run exits
// 77, which CTest reports as skipped. A filter that chooses no test is a failure.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/case/findings.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace {

bool has_findings() {
  bool any = false;
  auto* const checks = kernelbatch::test::device().access_checks();
  for (const kernelbatch::KernelFinding& finding : checks->take_findings()) {
    std::printf("%s\n", to_text(kernelbatch::to_record(finding)).c_str());
    any = any || !finding.is_harmless;
  }
  return any;
}

}  // namespace

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
  } else {
    // With this, times of the host do not depend on the load of the machine, also in commands that
    // tests start. Benchmarks set it to `steady`.
    ::setenv("KERNELBATCH_CLOCK", "simulated", 0);
  }
  Catch::Session session;
  if (const int status = session.applyCommandLine(argc, argv); status != 0) return status;
#if CATCH_VERSION_MAJOR < 3  // the default since version 3
  auto& warnings = session.configData().warnings;
  warnings = static_cast<Catch::WarnAbout::What>(warnings | Catch::WarnAbout::NoTests);
#endif
  const int status = session.run();
  return kernelbatch::test::is_sanitized() && has_findings() ? 1 : status;
}
