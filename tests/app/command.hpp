// The real executable as run by tests: with the test plugins, and without the caller's settings.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/process.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch::test {

inline std::string executable() { return build_folder() + "/kernelbatch"; }
inline std::string test_plugins() { return build_folder() + "/tests/plugins"; }
inline std::string refused_plugin(const std::string& name) {
  return build_folder() + "/tests/refused/" + name + ".so";
}

/// The environment of run_process(), independent of the caller's.
inline void set_environment() {
  ::setenv("KERNELBATCH_PLUGIN_PATH", test_plugins().c_str(), 1);
  ::setenv("KERNELBATCH_CACHE_DIR", (build_folder() + "/tests/kernel-cache").c_str(), 0);
  ::setenv("KERNELBATCH_DATA_DIR", (source_folder() + "/data").c_str(), 0);
  for (const char* name :
       {"PARAM", "SET", "ONLY", "DEVICE", "OUTPUT", "ALLOW_CASES", "TARGET", "KEEP_SOURCE", "COLOR",
        "DUMP_SOURCE", "CACHE_SHARED", "CACHE_MAX_SIZE", "NO_SANDBOX"})
    ::unsetenv((std::string("KERNELBATCH_") + name).c_str());
}

/// Runs `kernelbatch` with these arguments.
inline ProcessResult command(std::vector<std::string> arguments) {
  set_environment();
  arguments.insert(arguments.begin(), executable());
  return run_process(arguments);
}

/// The backend that KERNELBATCH_TEST_DEVICE names.
inline std::string test_device() { return environment("KERNELBATCH_TEST_DEVICE").value_or("host"); }

/// True; ends the process as skipped if that backend is not available.
inline bool require_test_device() {
  if (test_device() != "cuda" || list_devices().cuda_reason.empty()) return true;
  std::fputs("no GPU: skipped\n", stderr);
  std::exit(77);
}

/// A job in a folder of its own; its results go there too.
class JobFolder {
 public:
  /// `text` follows `output:`, which it therefore must not have.
  explicit JobFolder(const std::string& text) {
    write("job.yaml", text + "\noutput: {file: \"" + results() + "\"}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string job() const { return (folder_ / "job.yaml").string(); }
  std::string results() const { return (folder_ / "out.h5").string(); }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// Keys of a job that keep its measurements short, on the test's device.
inline const std::string kShort =
    "device: " + test_device() +
    "\nmeasure: {preset: quick, warmup: 0, hot: false, calibrate: false, "
    "stop: {min_samples: 1, max_samples: 1}}\n";

}  // namespace kernelbatch::test
