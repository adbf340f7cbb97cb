// The function that the driver calls in a library that CUDA_INJECTION64_PATH names.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>

#include "core/device/cuda/capture/injection.hpp"

namespace kernelbatch::capture {
namespace {

/// The program's threads may launch kernels until the process ends, so this is never destroyed.
Injection* injection = nullptr;

std::string start(const char* settings_file) {
  std::ifstream file(settings_file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto* const cuda = new LoadedCuda;
  Settings settings = settings_of(text);
  if (const std::string reason = load(*cuda, settings.cupti); !reason.empty()) return reason;
  injection = new Injection(std::move(settings), *cuda);
  if (const std::string reason = injection->subscribe(); !reason.empty()) return reason;
  std::atexit([] { injection->finish(); });
  return "";
}

}  // namespace
}  // namespace kernelbatch::capture

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* const settings = std::getenv(kernelbatch::capture::kSettingsVariable);
  if (settings == nullptr) return 1;
  try {
    const std::string reason = kernelbatch::capture::start(settings);
    if (!reason.empty())
      std::fprintf(stderr, "kernelbatch capture: nothing is captured: %s\n", reason.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernelbatch capture: nothing is captured: %s\n", error.what());
  }
  return 1;
}
