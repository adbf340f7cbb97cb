#include "core/array/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kernelbatch {
namespace {

constexpr std::array<DTypeInfo, kDTypeCount> kTable{{
    {DType::kBool, "bool", "bool", 1, 1, DTypeKind::kBool},
    {DType::kInt8, "int8", "signed char", 1, 1, DTypeKind::kSigned},
    {DType::kInt16, "int16", "short", 2, 2, DTypeKind::kSigned},
    {DType::kInt32, "int32", "int", 4, 4, DTypeKind::kSigned},
    {DType::kInt64, "int64", "long long", 8, 8, DTypeKind::kSigned},
    {DType::kUInt8, "uint8", "unsigned char", 1, 1, DTypeKind::kUnsigned},
    {DType::kUInt16, "uint16", "unsigned short", 2, 2, DTypeKind::kUnsigned},
    {DType::kUInt32, "uint32", "unsigned int", 4, 4, DTypeKind::kUnsigned},
    {DType::kUInt64, "uint64", "unsigned long long", 8, 8, DTypeKind::kUnsigned},
    {DType::kFloat16, "float16", "float16", 2, 2, DTypeKind::kFloat},
    {DType::kBFloat16, "bfloat16", "bfloat16", 2, 2, DTypeKind::kFloat},
    {DType::kFloat32, "float32", "float", 4, 4, DTypeKind::kFloat},
    {DType::kFloat64, "float64", "double", 8, 8, DTypeKind::kFloat},
    {DType::kComplex64, "complex64", "complex<float>", 8, 8, DTypeKind::kComplex},
    {DType::kComplex128, "complex128", "complex<double>", 16, 16, DTypeKind::kComplex},
}};

constexpr bool table_is_in_order() {
  for (std::size_t k = 0; k < kTable.size(); ++k)
    if (static_cast<std::size_t>(kTable[k].dtype) != k) return false;
  return true;
}
static_assert(table_is_in_order(), "kTable must list the dtypes in the order of the enumeration");

}  // namespace

const DTypeInfo& info(DType dtype) noexcept { return kTable[static_cast<std::size_t>(dtype)]; }

std::optional<DType> dtype_named(std::string_view name) noexcept {
  for (const DTypeInfo& row : kTable)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : kTable) names.emplace_back(row.name);
  return names;
}

double unit_roundoff(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p-11;
    case DType::kBFloat16:
      return 0x1p-8;
    case DType::kFloat32:
    case DType::kComplex64:
      return 0x1p-24;
    case DType::kFloat64:
    case DType::kComplex128:
      return 0x1p-53;
    default:
      return 0;
  }
}

float to_float(Float16 value) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
  const std::uint32_t mantissa = value.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float to_float(BFloat16 value) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

Float16 to_float16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  if (std::isnan(value))
    return {static_cast<std::uint16_t>(sign | 0x7e00u | ((bits >> 13) & 0x1ffu))};
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0f) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
  if (magnitude == 0) return {sign};  // frexp gives it the exponent of a large number
  // nearbyint rounds to even; the spacing of binary16 at this magnitude is 2^(e - 10).
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int spacing = std::max(exponent - 11, -24);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -spacing)));
  if (spacing == -24) return {static_cast<std::uint16_t>(sign | steps)};
  const auto biased = static_cast<std::uint32_t>(spacing + 25);
  return {static_cast<std::uint16_t>(sign | ((biased << 10) + (steps - 1024u)))};
}

BFloat16 to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace kernelbatch
