// PTX modules have the same results as the text that they were made from.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

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
  const std::pair<std::string, std::vector<std::string>> files[] = {
      {"numbers", {"roundings", "conversions", "halves", "wide_integers"}},
      {"blocks",
       {"add", "block_sum", "dynamic", "warps", "switches", "structs", "local_sort", "atomics",
        "vectors", "integers"}},
      {"wmma",
       {"wmma_f16", "wmma_f16_short", "wmma_f16_tall", "wmma_bf16", "wmma_tf32", "wmma_s8",
        "wmma_u8", "wmma_f64"}}};
  for (const auto& [file, entries] : files)
    for (const std::string& entry : entries) {
      INFO(entry);
      const std::vector<float> text = results_of(file + ".cu", entry),
                               module = results_of(file + ".ptx", entry);
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

// The last parameters of kernels by Triton are null pointers.
constexpr std::uint64_t kNull = 0;

TEST_CASE("Triton's softmax of rows is right") {
  constexpr int kRows = 5, kCols = 781;
  std::vector<float> x;
  for (int k = 0; k < kRows * kCols; ++k) x.push_back(static_cast<float>(k * 7919 % 1001) / 250);
  const Array in = device_array(x), out = device_array(std::vector<float>(x.size()));
  LaunchShape shape;
  shape.grid = {kRows};
  shape.block = {128};
  shape.shared_bytes = 16;
  const RawModule module(KernelFile{kModules / "../../../../jobs/inline/triton_softmax.ptx"},
                         {"softmax_rows"});
  module.function("softmax_rows")(stream(), shape, in, out, kCols, kCols, kNull, kNull);
  const std::vector<float> result = values_of<float>(out);
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int k = 0; k < kCols; ++k) sum += std::exp(static_cast<double>(x[row * kCols + k]));
    for (int k = 0; k < kCols; ++k) {
      const double wanted = std::exp(static_cast<double>(x[row * kCols + k])) / sum;
      if (!(std::abs(result[row * kCols + k] - wanted) <= 1e-5 * wanted)) FAIL(row << ", " << k);
    }
  }
}

/// Elements of a product by Triton's module that are wrong; its text is changed by `change`.
template <class Change>
int wrong_elements(const Change& change) {
  constexpr int kM = 64, kN = 128, kK = 96;
  constexpr std::uint16_t kHalves[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};  // -2 to 2
  std::vector<Float16> a, b;
  for (int k = 0; k < kM * kK; ++k) a.push_back({kHalves[k * 31 % 17 % 5]});
  for (int k = 0; k < kK * kN; ++k) b.push_back({kHalves[k * 13 % 11 % 5]});
  const Array left = device_array(a), right = device_array(b),
              out = device_array(std::vector<float>(kM * kN));
  LaunchShape shape;
  shape.grid = {1, 2};
  shape.block = {128};
  shape.shared_bytes = 24576;
  const test::TemporaryFolder folder;
  std::string text = read_file(kModules / "triton_matmul.ptx");
  change(text);
  std::ofstream(folder / "matmul.ptx") << text;
  const RawModule module(KernelFile{folder / "matmul.ptx"}, {"matmul"});
  module.function("matmul")(stream(), shape, left, right, out, kM, kN, kK, kNull, kNull);
  const std::vector<float> result = values_of<float>(out);
  int wrong = 0;
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      int sum = 0;
      for (int k = 0; k < kK; ++k)
        sum += ((m * kK + k) * 31 % 17 % 5 - 2) * ((k * kN + n) * 13 % 11 % 5 - 2);
      wrong += result[m * kN + n] != static_cast<float>(sum);
    }
  return wrong;
}

TEST_CASE("Triton's product of matrices, by warp groups, is right") {
  if (test::on_cuda() && test::device().properties().target != "sm_90")
    return;  // made for that only
  CHECK(wrong_elements([](std::string&) {}) == 0);
}

TEST_CASE("Results of warp groups arrive with the wait for them") {
  if (test::on_cuda()) return;  // an assembler for GPUs adds the wait
  const std::string kWait = "wgmma.wait_group.sync.aligned 0;";
  CHECK(wrong_elements([&](std::string& text) {
          std::size_t waits = 0;
          for (std::size_t at; (at = text.find(kWait)) != std::string::npos; ++waits)
            text.erase(at, kWait.size());
          REQUIRE(waits > 0);
        }) == 64 * 128);
}

TEST_CASE("A launch with a block that an image does not allow is refused") {
  const auto error_of = [](const std::string& directive, unsigned threads) {
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 out)\n" +
        directive + "\n{ ret; }\n";
    const RawKernel kernel{text, "f"};
    LaunchShape shape;
    shape.block = {threads};
    return test::error_text<RunError>([&] { kernel(stream(), shape, kNull); });
  };
  if (test::on_cuda()) return;  // the driver's message
  const std::string nothing = "nothing was thrown";
  CHECK(error_of(".reqntid 64, 1, 1", 64) == nothing);
  CHECK(error_of(".reqntid 64", 32) ==
        "launch of 'f' with a block of (32,1,1) threads; its image requires (64,1,1)");
  CHECK(error_of(".maxntid 16, 4", 64) == nothing);
  CHECK(error_of(".maxntid 16, 4\n.minnctapersm 1", 65) ==
        "launch of 'f' with a block of (65,1,1) threads; its image allows at most (16,4,1)");
}

}  // namespace
}  // namespace kernelbatch
