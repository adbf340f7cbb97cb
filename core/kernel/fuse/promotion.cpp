#include "core/kernel/fuse/promotion.hpp"

#include <algorithm>

namespace kernelbatch {
namespace {

DType signed_of(std::size_t bytes) {
  return bytes == 1   ? DType::kInt8
         : bytes == 2 ? DType::kInt16
         : bytes == 4 ? DType::kInt32
                      : DType::kInt64;
}

DType promote_integers(DType a, DType b) {
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (info(a).kind == info(b).kind) return size_of(a) >= size_of(b) ? a : b;
  if (info(a).kind == DTypeKind::kUnsigned) std::swap(a, b);  // now a is signed, b unsigned
  if (size_of(a) > size_of(b)) return a;
  return size_of(b) == 8 ? DType::kFloat64 : signed_of(2 * size_of(b));
}

/// True if `wide` represents every number of `narrow`.
bool holds(const DTypeInfo& wide, const DTypeInfo& narrow) {
  return wide.exponent_bits >= narrow.exponent_bits && wide.unit_roundoff <= narrow.unit_roundoff;
}

/// The smallest dtype that represents both.
DType promote_floats(DType a, DType b) {
  DType result = DType::kFloat64;
  for (const DTypeInfo& row : kDTypes)
    if (row.kind == DTypeKind::kFloat && row.size <= size_of(result) && holds(row, info(a)) &&
        holds(row, info(b)))
      result = row.dtype;
  return result;
}

DType complex_of(DType real) { return size_of(real) == 8 ? DType::kComplex128 : DType::kComplex64; }

}  // namespace

bool is_integer(DType dtype) noexcept {
  const DTypeKind kind = info(dtype).kind;
  return kind == DTypeKind::kSigned || kind == DTypeKind::kUnsigned || kind == DTypeKind::kBool;
}

bool in_range(DType dtype, WideInteger value) noexcept {
  if (dtype == DType::kBool) return value == 0 || value == 1;
  const bool is_signed = info(dtype).kind == DTypeKind::kSigned;
  const auto bits = static_cast<int>(8 * size_of(dtype)) - (is_signed ? 1 : 0);
  const WideInteger end = WideInteger{1} << bits;
  return value < end && value >= (is_signed ? -end : 0);
}

DType floating_of(DType dtype) noexcept {
  if (!is_integer(dtype)) return dtype;
  return size_of(dtype) == 1   ? DType::kFloat16
         : size_of(dtype) == 2 ? DType::kFloat32
                               : DType::kFloat64;
}

DType real_of(DType dtype) noexcept {
  return info(dtype).kind == DTypeKind::kComplex ? info(dtype).stored : dtype;
}

DType promote(DType a, DType b) noexcept {
  if (a == b) return a;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  // bool can take any type; an integer takes a float that represents it, as for sin; bfloat16
  // counts as float16.
  const auto as_float = [](DType dtype, DType other) {
    if (dtype == DType::kBool) return real_of(other);
    if (dtype == DType::kInt8 || dtype == DType::kUInt8)
      return size_of(real_of(other)) == 2 ? real_of(other) : DType::kFloat16;
    return real_of(floating_of(dtype));
  };
  const bool is_complex =
      info(a).kind == DTypeKind::kComplex || info(b).kind == DTypeKind::kComplex;
  DType result = promote_floats(as_float(a, b), as_float(b, a));
  if (!is_integer(a)) result = promote_floats(real_of(a), result);
  if (!is_integer(b)) result = promote_floats(real_of(b), result);
  return is_complex ? complex_of(result) : result;
}

DType dtype_of(const Constant& constant) noexcept {
  if (const auto* whole = std::get_if<WideInteger>(&constant))
    return in_range(DType::kInt64, *whole) ? DType::kInt64 : DType::kUInt64;
  constexpr DType kTypes[] = {DType::kBool, DType::kInt64, DType::kFloat64, DType::kComplex128};
  return kTypes[constant.index()];
}

DType promote(DType a, const Constant& constant) noexcept {
  switch (constant.index()) {
    case 0:
      return a;
    case 1:
      return a == DType::kBool ? DType::kInt64 : a;
    case 2:
      return is_integer(a) ? DType::kFloat64 : a;
    default:
      return is_integer(a) ? DType::kComplex128 : complex_of(real_of(a));
  }
}

DType sum_of(DType dtype) noexcept {
  if (!is_integer(dtype)) return dtype;
  return info(dtype).kind == DTypeKind::kUnsigned ? DType::kUInt64 : DType::kInt64;
}

DType accumulator_of(DType dtype) noexcept { return info(dtype).accumulator; }

}  // namespace kernelbatch
