#include "core/device/cuda/cuda_tensor_map.hpp"

#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {
namespace {

// The choices have the order of the driver's enumerators.
static_assert(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ == int(TensorType::kTFloat32Ftz));
static_assert(CU_TENSOR_MAP_INTERLEAVE_32B == int(TensorInterleave::k32));
static_assert(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B == int(TensorSwizzle::k128Atom64));
static_assert(CU_TENSOR_MAP_L2_PROMOTION_L2_256B == int(TensorPromotion::k256));
static_assert(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA == int(TensorFill::kNan));
static_assert(sizeof(CUtensorMap) == sizeof(TensorMap));

}  // namespace

TensorMap encode_tensor_map(const TensorMapForm& form) {
  CUtensorMap map{};
  check(driver().cuTensorMapEncodeTiled_(
            &map, static_cast<CUtensorMapDataType>(form.type), static_cast<cuuint32_t>(form.axes),
            form.address, form.extents.data(), form.strides.data() + 1, form.box.data(),
            form.element_strides.data(), static_cast<CUtensorMapInterleave>(form.interleave),
            static_cast<CUtensorMapSwizzle>(form.swizzle),
            static_cast<CUtensorMapL2promotion>(form.promotion),
            static_cast<CUtensorMapFloatOOBfill>(form.fill)),
        "cuTensorMapEncodeTiled");
  TensorMap encoded;
  for (std::size_t k = 0; k < encoded.words.size(); ++k) encoded.words[k] = map.opaque[k];
  return encoded;
}

}  // namespace kernelbatch::cuda
