#include "core/run/tool/tool_run.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/device/tool_checks.hpp"
#include "core/run/tool/tool_log.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "log";
constexpr const char* kArrays = "arrays";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

fs::path find_compute_sanitizer() {
  constexpr const char* kName = "compute-sanitizer";
  if (const auto found = find_program(kName)) return *found;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment(variable))
      if (const fs::path path = fs::path(*folder) / "bin" / kName; fs::exists(path)) return path;
  for (const char* const folder : {"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"})
    if (const fs::path path = fs::path(folder) / kName; fs::exists(path)) return path;
  throw EnvironmentError(
      "checks on a GPU need NVIDIA's compute-sanitizer, which is part of the CUDA Toolkit: it is "
      "neither in PATH nor in the bin folder of $CUDA_HOME; without `gpu` the host device checks");
}

ToolRun::ToolRun(fs::path program, CheckKind kind) : program_(std::move(program)), kind_(kind) {}

std::vector<std::string> ToolRun::prefix() const {
  // Each fault is reported and ends only its kernel.
  return {program_.string(),
          "--tool",
          std::string(tool_of(kind_)),
          "--log-file",
          (folder_.path() / kLog).string(),
          "--print-limit",
          "10000",
          "--show-backtrace",
          "no",
          "--report-api-errors",
          "no",
          "--target-processes",
          "application-only"};
}

Variables ToolRun::environment() const {
  // It cannot track copies to pooled memory.
  return {{"KERNELBATCH_MEMORY_POOL", "0"},
          {kCheckedArraysVariable, (folder_.path() / kArrays).string()}};
}

std::vector<FindingRecord> ToolRun::findings(std::string& why_not) const {
  const std::string log = text_of(folder_.path() / kLog);
  why_not = log.empty() ? fmt::format("{} wrote no log", tool_of(kind_)) : "";
  return read_tool_log(log, kind_, read_checked_arrays(text_of(folder_.path() / kArrays)));
}

}  // namespace kernelbatch
