// matmul with tensor cores, in plain CUDA compiled for the exact device.
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

std::string entry_of(const Matmul& in) { return "matmul_" + std::string(name_of(in.a.dtype())); }

int extent(std::int64_t value) { return static_cast<int>(value); }

std::uint32_t tiles(std::int64_t extent, std::int64_t tile) {
  return static_cast<std::uint32_t>((extent + tile - 1) / tile);
}

/// The tensor memory accelerator requires rows that begin at multiples of 16 bytes.
bool has_whole_pieces(const Array& matrix) {
  const auto row = static_cast<std::size_t>(matrix.shape()[1]) * size_of(matrix.dtype());
  return row % 16 == 0 && reinterpret_cast<std::uintptr_t>(matrix.data()) % 16 == 0;
}

/// mma.sync: tiles of 128 by 128, one warp for 64 by 32 of it.
Work by_warps(const Matmul& in, const Array& a, const Array& b, const Array& c) {
  constexpr std::int64_t kTile = 128;
  const RawKernel matmul{embedded::raw_tensor_cu, entry_of(in), {.name = "matmul_raw_tensor"}};
  const std::uint32_t across = tiles(in.n(), kTile);
  const LaunchShape shape{.grid = {across * tiles(in.m(), kTile)}, .block = {256}};

  return [=, &in](Stream& stream) {
    matmul(stream, shape, a, b, c, extent(in.m()), extent(in.n()), extent(in.k()),
           static_cast<int>(across));
  };
}

/// Boxes of `box_rows` rows of 128 bytes of a contiguous matrix whose rows begin at multiples of 16
/// bytes. In shared memory their 16-byte pieces are swizzled over the 128 bytes; float32 is rounded
/// to TF32 during the copy if `as_tf32`.
TensorMap tensor_map(Device& device, const Array& matrix, std::uint32_t box_rows, bool as_tf32) {
  const std::uint64_t item = size_of(matrix.dtype());
  const auto rows = static_cast<std::uint64_t>(matrix.shape()[0]),
             columns = static_cast<std::uint64_t>(matrix.shape()[1]);
  const bool rounds = as_tf32 && matrix.dtype() == DType::kFloat32;
  return device.tensor_map(
      {.type = rounds ? TensorType::kTFloat32 : *parse_choice<TensorType>(name_of(matrix.dtype())),
       .axes = 2,
       .address = matrix.data(),
       .extents = {columns, rows},
       .strides = {item, columns * item},
       .box = {static_cast<std::uint32_t>(128 / item), box_rows},
       .swizzle = TensorSwizzle::k128,
       .promotion = TensorPromotion::k256});
}

/// wgmma: groups of four warps, each for half of a tile.
Work by_warpgroups(const Matmul& in, Device& device, const Array& a, const Array& b,
                   const Array& c) {
  const bool is_wide = in.a.dtype() == DType::kFloat32;
  const std::int64_t rows = is_wide ? 256 : 128, columns = is_wide ? 128 : 256;  // of a tile
  constexpr std::size_t kRing = 4 * 48 * 1024, kAlignment = 1024, kBarriers = 64;
  const RawKernel matmul{
      std::string(embedded::warpgroup_cuh) + std::string(embedded::raw_tensor_hopper_cuh),
      entry_of(in),
      {.options = {"-arch=sm_90a"}, .name = "matmul_raw_tensor_hopper"}};
  const TensorMap map_a = tensor_map(device, a, static_cast<std::uint32_t>(rows), true);
  const TensorMap map_b = tensor_map(device, b, is_wide ? 32 : 64, false);
  const std::uint32_t all = tiles(in.m(), rows) * tiles(in.n(), columns);
  const auto units = static_cast<std::uint32_t>(device.properties().compute_units);
  const LaunchShape shape{.grid = {std::min(all, units)},
                          .block = {384},
                          .shared_bytes = kRing + kAlignment + kBarriers};

  return [=, &in](Stream& stream) {
    matmul(stream, shape, as_bytes(map_a), as_bytes(map_b), c, extent(in.m()), extent(in.n()),
           extent(in.k()));
  };
}

}  // namespace

static Work raw_tensor(const Matmul& in, Run& run) {
  if (in.a.dtype() == DType::kFloat64)
    throw UnsupportedError("the variant raw multiplies float64 by tensor cores");
  const DeviceProperties& device = run.device().properties();
  if (device.is_gpu && device.capability_major < 8)
    throw UnsupportedError("needs tensor cores of compute capability 8.0");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const bool has_warpgroups = device.capability_major == 9 && device.capability_minor == 0;
  return has_warpgroups && has_whole_pieces(a) && has_whole_pieces(b) && has_whole_pieces(c)
             ? by_warpgroups(in, run.device(), a, b, c)
             : by_warps(in, a, b, c);
}
static const Variant kRawTensor{"raw_tensor", VariantKind::kRaw,
                                "tensor cores: wgmma on compute capability 9.0, else mma.sync; "
                                "float32 factors are rounded to TF32 and have its tolerance",
                                raw_tensor};

}  // namespace kernelbatch::workloads::matmul
