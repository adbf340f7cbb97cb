#include "core/measure/calibration_kernels.hpp"

#include <array>
#include <cstdint>

namespace kernelbatch {
namespace {

KernelSource nothing_source() {
  KernelSource source;
  source.name = "calibration_nothing";
  source.text = "extern \"C\" __global__ void calibration_nothing() {}\n";
  source.entries = {"calibration_nothing"};
  return source;
}

KernelSource read_past_first_level_source() {
  KernelSource source;
  source.name = "calibration_read_past_first_level";
  source.text = R"(
extern "C" __global__ void calibration_read_past_first_level(const int4* from, long long count, int* to) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  int all = 0;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += threads) {
    const int4 value = __ldcg(from + k);
    all ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  // So that nothing is left out.
  if (all == 0x5bd1e995) *to = all;
}
)";
  source.entries = {"calibration_read_past_first_level"};
  return source;
}

}  // namespace

CalibrationKernels::CalibrationKernels()
    : nothing_(nothing_source()),
      read_past_first_level_(read_past_first_level_source()),
      copy_({.in = "int64 x", .out = "int64 y", .operation = "y = x", .name = "calibration_copy"}),
      read_({.in = "int64 x",
             .out = "int64 y",
             .map = "x",
             .reduce = "a + b",
             .post_map = "y = a",
             .identity = "0",
             .name = "calibration_read"}) {}

void CalibrationKernels::nothing(Stream& stream) {
  nothing_.kernel(stream.device(), "calibration_nothing").launch({}, {}, stream);
}

void CalibrationKernels::copy(Stream& stream, const Array& from, const Array& to) const {
  copy_(stream, from, to);
}

void CalibrationKernels::read(Stream& stream, const Array& from, const Array& sum) const {
  read_(stream, from, sum);
}

void CalibrationKernels::read_past_first_level(Stream& stream, const Array& from,
                                               const Array& sum) {
  Kernel& kernel =
      read_past_first_level_.kernel(stream.device(), "calibration_read_past_first_level");
  constexpr std::uint32_t kThreads = 256, kBlocks = 1024;
  LaunchShape shape;
  shape.block.x = kThreads;
  shape.grid.x = kBlocks;
  const void* memory = from.data();
  long long count = static_cast<long long>(from.bytes() / sizeof(int) / 4);
  void* to = sum.data();
  const std::array<void*, 3> arguments{&memory, &count, &to};
  kernel.launch(shape, arguments, stream);
}

}  // namespace kernelbatch
