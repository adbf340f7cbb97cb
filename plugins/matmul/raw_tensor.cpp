// matmul by tensor cores, in plain CUDA that is compiled for the very device.
#include <string>

#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {

Work raw_tensor(const Matmul& in, Run& run) {
  constexpr std::int64_t kTile = 128;
  if (in.a.dtype() == DType::kFloat64)
    throw UnsupportedError("the variant raw multiplies float64 by tensor cores");
  const DeviceProperties& device = run.device().properties();
  if (device.is_gpu && device.capability_major < 8)
    throw UnsupportedError("needs tensor cores of compute capability 8.0");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const RawKernel matmul{embedded::raw_tensor_cu,
                         "matmul_" + std::string(name_of(in.a.dtype())),
                         {.name = "matmul_raw_tensor"}};
  const auto tiles = [](std::int64_t extent) {
    return static_cast<std::uint32_t>((extent + kTile - 1) / kTile);
  };
  const std::uint32_t across = tiles(in.n());
  const LaunchShape shape{.grid = {across * tiles(in.m())}, .block = {256}};
  const auto extent = [](std::int64_t value) { return static_cast<int>(value); };

  return [=, &in](Stream& stream) {
    matmul(stream, shape, a, b, c, extent(in.m()), extent(in.n()), extent(in.k()),
           static_cast<int>(across));
  };
}

}  // namespace kernelbatch::workloads::matmul
