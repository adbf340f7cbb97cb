// The list of the Math API is complete, and the host device has all of it.
#include <filesystem>
#include <regex>
#include <set>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/device/device_list.hpp"
#include "tests/device/math_api/function_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {
namespace {

const std::vector<ListedFunction>& all_functions() {
  static const std::vector<ListedFunction> kAll = read_functions(std::string(listed_functions()));
  return kAll;
}

/// Names on the list, including those inside a call.
std::set<std::string> listed_names() {
  std::set<std::string> names;
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  for (const ListedFunction& function : all_functions())
    for (std::sregex_iterator at(function.signature.begin(), function.signature.end(), word), end;
         at != end; ++at)
      names.insert(at->str());
  return names;
}

/// Functions that the toolkit's headers declare for kernels: names before a parenthesis, after the
/// markers for devices.
std::set<std::string> declared_names(const std::string& text) {
  std::set<std::string> names;
  const std::regex function(
      R"((?:__DEVICE_FUNCTIONS_DECL__|__DEVICE_DOUBLE_FUNCTIONS_DECL__|__device_builtin__|_FP16_DECL__|_BF16_DECL__|_FP8_DECL__)[\w\s\*]*?\b(\w+)\s*\()");
  for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at)
    names.insert((*at)[1].str());
  return names;
}

TEST_CASE("The list has every function of the toolkit's headers of mathematics") {
  const std::filesystem::path folder =
      std::filesystem::path(environment("CUDA_HOME").value_or("/usr/local/cuda")) / "include";
  if (!std::filesystem::exists(folder / "cuda_fp16.h")) {
    WARN("not checked: no toolkit");
    return;
  }
  // Not part of the Math API: barriers, fences, loads and stores, atomics, warps (covered by
  // memory_test.cpp and the contract tests), undocumented names, and names of only one compiler.
  const std::regex other(
      R"(__ld\w+|__st\w+|atomicAdd|__shfl\w*|__threadfence\w*|__syncthreads\w*|__trap|__brkpt|__prof_trigger|__(is|finite|signbit)\w*|_\w+|\w*double2\w+|[\w]*2double|__pm\d|dadd|dmul|dsub|float2double|__\w*_impl|__internal\w*|__half2?|__nv_bfloat162?|__nv_fp8\w*|__cuda\w+|__nv_aligned\w+|syncthreads\w*|if|defined|asm|sizeof|__CUDA\w*|\w*free|malloc|mem\w+|assert|clock|clock64|printf|\w*assertfail\w*)");
  const std::set<std::string> listed = listed_names();
  std::size_t count = 0;
  for (const char* header :
       {"crt/math_functions.h", "crt/device_functions.h", "crt/device_double_functions.h",
        "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "sm_61_intrinsics.h"})
    for (const std::string& name : declared_names(read_file(folder / header))) {
      CAPTURE(header, name);
      ++count;
      const bool is_missing = !listed.contains(name) && !std::regex_match(name, other);
      CHECK_FALSE(is_missing);
    }
  CHECK(count > 600);
}

/// Compiles all functions in a few sources; names those that do not.
void check_compile(Compiler& compiler) {
  const std::vector<ListedFunction>& all = all_functions();
  constexpr std::size_t kBatch = 250;
  for (std::size_t begin = 0; begin < all.size(); begin += kBatch) {
    KernelSource source;
    source.name = "all";
    for (std::size_t k = begin; k < std::min(begin + kBatch, all.size()); ++k) {
      if (!all[k].target.empty() && !compiler.target().starts_with("host")) continue;
      source.text += kernel_text(all[k], k);
      source.entries.push_back("f" + std::to_string(k));
    }
    try {
      compiler.compile(source);
    } catch (const CompileError& error) {
      FAIL_CHECK(error.what());
    }
  }
}

TEST_CASE("The host device has every function of the list") {
  CHECK(all_functions().size() > 950);
  check_compile(*make_compiler("host"));
}

TEST_CASE("A GPU's compiler has every function of the list, without a header") {
  std::unique_ptr<Compiler> gpu;
  try {
    gpu = make_compiler("sm_90");
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  check_compile(*gpu);
}

}  // namespace
}  // namespace kernelbatch::test
