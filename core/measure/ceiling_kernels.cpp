#include "core/measure/ceiling_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace kernelbatch {
namespace {

/// Independent chains per thread: enough that no unit waits for its previous result. On the host a
/// number of bytes, for eight of the widest vectors.
constexpr int kGpuChains = 8, kHostChainBytes = 512;
/// Steps of each chain in one round of the loop.
constexpr int kSteps = 16;
constexpr int kGpuThreads = 256, kGpuBlocksPerUnit = 8, kGpuRounds = 1024, kHostRounds = 4096;
constexpr int kGpuPasses = 8, kHostPasses = 2;
constexpr int kTensorRounds = 2048;
/// Operations of one warp's product of tiles of 16x16 and 16x8.
constexpr double kTensorFlops = 2.0 * 16 * 8 * 16;

// Sums are written to memory only if they have an impossible value.
constexpr const char* kPlain = R"(
#include "kernelbatch/device.hpp"
template <class T> KERNELBATCH_INLINE void chains(T* out, int rounds) {{
  constexpr int chains = {chains};
  T value[chains];
  for (int k = 0; k < chains; ++k) value[k] = T(0.5) + T(k) / T(1024) + T(threadIdx.x) / T(65536);
  const T factor = T(0.999), more = T(0.0007);
  KERNELBATCH_ROLLED
  for (int round = 0; round < rounds; ++round) {{
    KERNELBATCH_UNROLL
    for (int step = 0; step < {steps}; ++step)
      for (int k = 0; k < chains; ++k) value[k] = value[k] * factor + more;
  }}
  T sum = T(0);
  for (int k = 0; k < chains; ++k) sum += value[k];
  if (sum == T(-1)) out[0] = sum;
}}
extern "C" __global__ void ceiling_float32(float* out, int rounds) {{ chains<float>(out, rounds); }}
extern "C" __global__ void ceiling_float64(double* out, int rounds) {{ chains<double>(out, rounds); }}
struct alignas(16) four {{ int x, y, z, w; }};
extern "C" __global__ void ceiling_cache(const four* in, long long count, int passes, int* out) {{
  int all = 0;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (int pass = 0; pass < passes; ++pass) {{
    // Other memory than its own multiprocessor has just read.
    const long long first = (static_cast<long long>(blockIdx.x + pass * 61) % gridDim.x) * blockDim.x;
    KERNELBATCH_ROLLED
    for (long long k = first + threadIdx.x; k < count; k += threads) {{
      {load}
      all ^= value.x ^ value.y ^ value.z ^ value.w;
    }}
  }}
  if (all == 0x5bd1e995) out[0] = all;
}}
)";

constexpr const char* kOfGpu = R"(
extern "C" __global__ void ceiling_float16(unsigned* out, int rounds) {
  unsigned value[8];
  for (int k = 0; k < 8; ++k) value[k] = 0x38003800u + k + threadIdx.x;
  const unsigned factor = 0x3bff3bffu, more = 0x10001000u;
  for (int round = 0; round < rounds; ++round) {
    KERNELBATCH_UNROLL
    for (int step = 0; step < 16; ++step)
      for (int k = 0; k < 8; ++k)
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(value[k]) : "r"(factor), "r"(more));
  }
  unsigned all = 0;
  for (int k = 0; k < 8; ++k) all ^= value[k];
  if (all == 0x12345678u) out[0] = all;
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void ceiling_tensor(float* out, int rounds) {
  float sum[4][4] = {};
  const unsigned a = 0x10001000u + threadIdx.x, b = 0x10011001u;
  for (int round = 0; round < rounds; ++round) {
    KERNELBATCH_UNROLL
    for (int k = 0; k < 4; ++k)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%0,%1,%2,%3};"
          : "+f"(sum[k][0]), "+f"(sum[k][1]), "+f"(sum[k][2]), "+f"(sum[k][3])
          : "r"(a), "r"(b), "r"(a), "r"(b), "r"(a), "r"(b));
  }
  float all = 0;
  for (int k = 0; k < 16; ++k) all += sum[k / 4][k % 4];
  if (all == -1.0f) out[0] = all;
}
#endif
)";

constexpr const char* kEntries[] = {"ceiling_float32", "ceiling_float64", "ceiling_float16",
                                    "ceiling_tensor", "ceiling_cache"};

bool has_tensor(const DeviceProperties& device) {
  return device.is_gpu && device.capability_major >= 8;
}

KernelSource source_for(const DeviceProperties& device) {
  KernelSource source;
  source.name = "calibration_ceilings";
  source.text = fmt::format(
      fmt::runtime(kPlain),
      fmt::arg("chains", device.is_gpu ? std::to_string(kGpuChains)
                                       : fmt::format("{} / sizeof(T)", kHostChainBytes)),
      fmt::arg("steps", kSteps),
      // Past the L1 cache.
      fmt::arg("load", device.is_gpu
                           ? "const int4 value = __ldcg(reinterpret_cast<const int4*>(in) + k);"
                           : "const four value = in[k];"));
  if (device.is_gpu) source.text += kOfGpu;
  for (const char* entry : kEntries) {
    const std::string name = entry;
    if (!device.is_gpu && (name == "ceiling_float16" || name == "ceiling_tensor")) continue;
    if (!has_tensor(device) && name == "ceiling_tensor") continue;
    source.entries.push_back(name);
  }
  source.has_plain_names = true;
  return source;
}

}  // namespace

CeilingKernels::CeilingKernels(const DeviceProperties& device)
    : device_(device), program_(source_for(device)) {}

bool CeilingKernels::has(Kind kind) const noexcept {
  if (kind == Kind::kFloat16) return device_.is_gpu;
  if (kind == Kind::kTensor) return has_tensor(device_);
  if (kind == Kind::kCache) return device_.shared_cache > 0;
  return true;
}

double CeilingKernels::launch(Kind kind, Stream& stream) {
  Device& device = stream.device();
  Kernel& kernel = program_.kernel(device, kEntries[static_cast<std::size_t>(kind)]);
  if (scratch_.size() == 0) scratch_ = Array::on_device(device, DType::kInt64, {2});
  const bool is_gpu = device_.is_gpu;
  LaunchShape shape;
  shape.block.x = is_gpu ? kGpuThreads : 1;
  shape.grid.x =
      static_cast<std::uint32_t>(device_.compute_units * (is_gpu ? kGpuBlocksPerUnit : 1));
  const double threads = static_cast<double>(shape.grid.count() * shape.block.count());
  void* scratch = scratch_.data();
  if (kind == Kind::kCache) {
    if (cached_.size() == 0) {
      const auto bytes = std::min<std::size_t>(device_.shared_cache / 4, std::size_t{16} << 20);
      cached_ = Array::on_device(device, DType::kInt64, {static_cast<std::int64_t>(bytes / 8)});
      device.fill(cached_.data(), 1, cached_.bytes(), stream);
    }
    const void* in = cached_.data();
    long long count = static_cast<long long>(cached_.bytes() / 16);
    int passes = is_gpu ? kGpuPasses : kHostPasses;
    const std::array<void*, 4> arguments{&in, &count, &passes, &scratch};
    kernel.launch(shape, arguments, stream);
    return static_cast<double>(cached_.bytes() / 16 * 16) * passes;
  }
  int rounds = kind == Kind::kTensor ? kTensorRounds : is_gpu ? kGpuRounds : kHostRounds;
  const std::array<void*, 2> arguments{&scratch, &rounds};
  kernel.launch(shape, arguments, stream);
  if (kind == Kind::kTensor) return threads / 32 * 4 * kTensorFlops * rounds;
  const double per_step = kind == Kind::kFloat16 ? 4 : 2;
  const int item = kind == Kind::kFloat64 ? 8 : 4;
  return threads * per_step * kSteps * (is_gpu ? kGpuChains : kHostChainBytes / item) * rounds;
}

}  // namespace kernelbatch
