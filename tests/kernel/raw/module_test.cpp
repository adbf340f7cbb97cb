// PTX modules have the same results as the text that they were made from.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;

const std::filesystem::path kModules =
    std::filesystem::path(test::source_folder()) / "tests/kernel/raw/modules";
constexpr int kCount = 1000;

std::vector<float> inputs() {
  std::vector<float> values;
  for (int k = 0; k < kCount; ++k)
    values.push_back(static_cast<float>((k * 7919) % 2003 - 1001) / 64.0f);
  return values;
}

std::vector<float> results_of(const std::string& file, const std::string& entry) {
  const Array in = device_array(inputs()), out = device_array(std::vector<float>(kCount));
  LaunchShape shape;
  shape.block = {256};
  shape.grid = {(kCount + 255) / 256};
  shape.shared_bytes = 1024;
  RawOptions options;
  if (file.ends_with(".cu")) options.options = {"-fmad=false"};
  const RawModule module(KernelFile{kModules / file}, {entry}, options);
  module.function(entry)(stream(), shape, in, out, kCount);
  return values_of<float>(out);
}

TEST_CASE("Kernels from a PTX module have the bits of those from their text") {
  for (const std::string entry : {"add", "block_sum", "dynamic", "warps", "switches", "structs",
                                  "local_sort", "atomics", "vectors", "integers"}) {
    INFO(entry);
    const std::vector<float> text = results_of("blocks.cu", entry),
                             module = results_of("blocks.ptx", entry);
    for (int k = 0; k < kCount; ++k) {
      INFO(k << ": " << text[k] << " and " << module[k]);
      if (std::memcmp(&text[k], &module[k], 4) != 0) FAIL("different bits");
    }
  }
}

TEST_CASE("Functions of mathematics in a PTX module are within their bounds") {
  const std::vector<float> text = results_of("blocks.cu", "functions_of"),
                           module = results_of("blocks.ptx", "functions_of");
  for (int k = 0; k < kCount; ++k) {
    INFO(k << ": " << text[k] << " and " << module[k]);
    if (!(std::abs(text[k] - module[k]) <= 1e-5f * (1 + std::abs(text[k])))) FAIL("too different");
  }
}

}  // namespace
}  // namespace kernelbatch
