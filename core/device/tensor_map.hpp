// Tensor maps: descriptions of a tensor in device memory, from and to which kernels copy boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/tensor_choices.hpp"

namespace kernelbatch {

/// Arguments of cuTensorMapEncodeTiled. Axes are in CUDA's order: the innermost first.
struct TensorMapForm {
  static constexpr int kMostAxes = 5;

  TensorType type = TensorType::kUInt8;
  int axes = 0;
  void* address = nullptr;
  std::array<std::uint64_t, kMostAxes> extents = {};
  std::array<std::uint64_t, kMostAxes> strides =
      {};  ///< bytes; that of axis 0 is an element's size
  std::array<std::uint32_t, kMostAxes> box = {};
  std::array<std::uint32_t, kMostAxes> element_strides = {1, 1, 1, 1, 1};
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorPromotion promotion = TensorPromotion::kNone;
  TensorFill fill = TensorFill::kZeros;
};

/// Throws SpecError with the rule that the form breaks.
void require_valid(const TensorMapForm& form);

/// A CUtensorMap: a kernel's parameter, in the encoding of its device.
struct alignas(64) TensorMap {
  std::array<std::uint64_t, 16> words = {};
};

}  // namespace kernelbatch
