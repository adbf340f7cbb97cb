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

/// Lines that kernels read with the priority evict_last survive reads without it.
KernelSource displace_source() {
  KernelSource source;
  source.name = "calibration_displace";
  source.text = R"(
extern "C" __global__ void calibration_displace(const int4* from, long long count, int* to) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
#if __CUDA_ARCH__ >= 800
  unsigned long long evict_last;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(evict_last));
#endif
  int all = 0;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += threads) {
    int4 value;
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.cg.L2::cache_hint.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(from + k), "l"(evict_last));
#else
    value = __ldcg(from + k);
#endif
    all ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  // So that nothing is left out.
  if (all == 0x5bd1e995) *to = all;
}
extern "C" __global__ void calibration_demote(const char* from, long long lines) {
#if __CUDA_ARCH__ >= 800
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < lines; k += threads)
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" : : "l"(from + 128 * k) : "memory");
#endif
}
)";
  source.entries = {"calibration_displace", "calibration_demote"};
  return source;
}

}  // namespace

CalibrationKernels::CalibrationKernels()
    : nothing_(nothing_source()),
      displace_(displace_source()),
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

std::size_t CalibrationKernels::displace(Stream& stream, const Array& from, const Array& sum) {
  constexpr std::uint32_t kThreads = 256, kBlocks = 1024;
  constexpr std::size_t kLine = 128;
  LaunchShape shape;
  shape.block.x = kThreads;
  shape.grid.x = kBlocks;
  const void* memory = from.data();
  long long count = static_cast<long long>(from.bytes() / (4 * sizeof(int)));
  void* to = sum.data();
  const std::array<void*, 3> all{&memory, &count, &to};
  displace_.kernel(stream.device(), "calibration_displace").launch(shape, all, stream);
  long long lines = static_cast<long long>(from.bytes() / kLine);
  const std::array<void*, 2> each{&memory, &lines};
  displace_.kernel(stream.device(), "calibration_demote").launch(shape, each, stream);
  return 2;
}

}  // namespace kernelbatch
