#include "plugins/matmul/tensor_map.hpp"

#include "core/workload/vendor_library.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

/// cuTensorMapEncodeTiled: map, type, axes, matrix, extents (innermost first), strides except the
/// innermost, extents and steps of a box, interleaving, swizzle, promotion, fill outside.
using Encode = int(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*,
                   const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int, int,
                   int);

/// CUtensorMapDataType.
int type_of(DType dtype, bool as_tf32) {
  constexpr int kFloat16 = 6, kFloat32 = 7, kBFloat16 = 9, kTFloat32 = 11;
  if (dtype == DType::kFloat32) return as_tf32 ? kTFloat32 : kFloat32;
  return dtype == DType::kFloat16 ? kFloat16 : kBFloat16;
}

}  // namespace

TensorMap tensor_map(const Device& device, const Array& matrix, std::uint32_t box_rows,
                     bool as_tf32) {
  TensorMap map{};
  // A compile-only device has no driver and runs nothing.
  if (device.properties().uuid.empty()) return map;
  const VendorLibrary driver(device, "the CUDA driver", {"libcuda.so.1"});
  const std::uint64_t item = size_of(matrix.dtype());
  const std::uint64_t extents[] = {static_cast<std::uint64_t>(matrix.shape()[1]),
                                   static_cast<std::uint64_t>(matrix.shape()[0])};
  const std::uint64_t strides[] = {extents[0] * item};
  const std::uint32_t box[] = {static_cast<std::uint32_t>(128 / item), box_rows};
  const std::uint32_t steps[] = {1, 1};
  constexpr int kNoInterleaving = 0, kSwizzle128 = 3, kPromotion256 = 3, kZeros = 0;
  driver.require(driver.find<Encode>("cuTensorMapEncodeTiled")(
                     &map, type_of(matrix.dtype(), as_tf32), 2, matrix.data(), extents, strides,
                     box, steps, kNoInterleaving, kSwizzle128, kPromotion256, kZeros),
                 "cuTensorMapEncodeTiled");
  return map;
}

}  // namespace kernelbatch::workloads::matmul
