// Properties of a tensor map: the choices of cuTensorMapEncodeTiled, in the order of its
// enumerators.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// Elements of a tensor. Copies to shared memory flush subnormal numbers of kFloat32Ftz and round
/// kTFloat32 to the format of tensor cores.
enum class TensorType : std::uint8_t {
  kUInt8,
  kUInt16,
  kUInt32,
  kInt32,
  kUInt64,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBFloat16,
  kFloat32Ftz,
  kTFloat32,
  kTFloat32Ftz,
};
struct NamedTensorType {
  TensorType value;
  std::string_view name;
  std::uint8_t bytes;
  bool is_float;
};
template <>
struct Names<TensorType> {
  static constexpr NamedTensorType rows[] = {{TensorType::kUInt8, "uint8", 1, false},
                                             {TensorType::kUInt16, "uint16", 2, false},
                                             {TensorType::kUInt32, "uint32", 4, false},
                                             {TensorType::kInt32, "int32", 4, false},
                                             {TensorType::kUInt64, "uint64", 8, false},
                                             {TensorType::kInt64, "int64", 8, false},
                                             {TensorType::kFloat16, "float16", 2, true},
                                             {TensorType::kFloat32, "float32", 4, true},
                                             {TensorType::kFloat64, "float64", 8, true},
                                             {TensorType::kBFloat16, "bfloat16", 2, true},
                                             {TensorType::kFloat32Ftz, "float32_ftz", 4, true},
                                             {TensorType::kTFloat32, "tfloat32", 4, true},
                                             {TensorType::kTFloat32Ftz, "tfloat32_ftz", 4, true}};
};
constexpr const NamedTensorType& row_of(TensorType type) noexcept {
  return Names<TensorType>::rows[static_cast<std::size_t>(type)];
}

enum class TensorInterleave : std::uint8_t { kNone, k16, k32 };
template <>
struct Names<TensorInterleave> {
  static constexpr Named<TensorInterleave> rows[] = {{TensorInterleave::kNone, "none"},
                                                     {TensorInterleave::k16, "16B"},
                                                     {TensorInterleave::k32, "32B"}};
};

/// Order of 16-byte chunks in shared memory within a span of this size; kAtom variants move larger
/// chunks within 128 bytes.
enum class TensorSwizzle : std::uint8_t {
  kNone,
  k32,
  k64,
  k128,
  k128Atom32,
  k128Atom32Flip8,
  k128Atom64
};
struct NamedTensorSwizzle {
  TensorSwizzle value;
  std::string_view name;
  std::uint8_t span;  ///< bytes
};
template <>
struct Names<TensorSwizzle> {
  static constexpr NamedTensorSwizzle rows[] = {
      {TensorSwizzle::kNone, "none", 0},
      {TensorSwizzle::k32, "32B", 32},
      {TensorSwizzle::k64, "64B", 64},
      {TensorSwizzle::k128, "128B", 128},
      {TensorSwizzle::k128Atom32, "128B_atom_32B", 128},
      {TensorSwizzle::k128Atom32Flip8, "128B_atom_32B_flip_8B", 128},
      {TensorSwizzle::k128Atom64, "128B_atom_64B", 128}};
};
constexpr unsigned span_of(TensorSwizzle swizzle) noexcept {
  return Names<TensorSwizzle>::rows[static_cast<std::size_t>(swizzle)].span;
}

/// Bytes that a read brings to the L2 cache.
enum class TensorPromotion : std::uint8_t { kNone, k64, k128, k256 };
template <>
struct Names<TensorPromotion> {
  static constexpr Named<TensorPromotion> rows[] = {{TensorPromotion::kNone, "none"},
                                                    {TensorPromotion::k64, "64B"},
                                                    {TensorPromotion::k128, "128B"},
                                                    {TensorPromotion::k256, "256B"}};
};

/// Elements of a box outside of the tensor.
enum class TensorFill : std::uint8_t { kZeros, kNan };
template <>
struct Names<TensorFill> {
  static constexpr Named<TensorFill> rows[] = {{TensorFill::kZeros, "zeros"},
                                               {TensorFill::kNan, "nan"}};
};

}  // namespace kernelbatch
