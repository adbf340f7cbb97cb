// The element types of arrays, and what each is called where.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

enum class DType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};
inline constexpr std::size_t kDTypeCount = 15;

enum class DTypeKind : std::uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex };

/// What is known of one element type. Size and alignment in bytes.
struct DTypeInfo {
  DType dtype;
  std::string_view name;    ///< NumPy's name, as in jobs and results
  std::string_view c_name;  ///< its name inside kernels
  std::size_t size;
  std::size_t alignment;
  DTypeKind kind;
};

const DTypeInfo& info(DType dtype) noexcept;
inline std::size_t size_of(DType dtype) noexcept { return info(dtype).size; }
inline std::string_view name_of(DType dtype) noexcept { return info(dtype).name; }

/// The element type of NumPy's name; nothing for an unknown one.
std::optional<DType> dtype_named(std::string_view name) noexcept;
/// All names, for messages.
std::vector<std::string> dtype_names();

inline bool is_floating(DType dtype) noexcept {
  const DTypeKind kind = info(dtype).kind;
  return kind == DTypeKind::kFloat || kind == DTypeKind::kComplex;
}

/// Unit roundoff u = 2^-p of a floating type (of a complex type's parts); 0 for integers.
double unit_roundoff(DType dtype) noexcept;

/// IEEE binary16 and bfloat16 as plain bits on the host, converted with round to nearest even.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
float to_float(Float16 value) noexcept;
float to_float(BFloat16 value) noexcept;
Float16 to_float16(float value) noexcept;
BFloat16 to_bfloat16(float value) noexcept;

/// DType of a C++ type.
template <class T>
inline constexpr bool kHasDType = false;
template <class T>
inline constexpr DType kDTypeOf = DType::kBool;

#define KERNELBATCH_DTYPE_OF(type, value)       \
  template <>                                   \
  inline constexpr bool kHasDType<type> = true; \
  template <>                                   \
  inline constexpr DType kDTypeOf<type> = value;
KERNELBATCH_DTYPE_OF(bool, DType::kBool)
KERNELBATCH_DTYPE_OF(signed char, DType::kInt8)
KERNELBATCH_DTYPE_OF(short, DType::kInt16)
KERNELBATCH_DTYPE_OF(int, DType::kInt32)
KERNELBATCH_DTYPE_OF(long, DType::kInt64)
KERNELBATCH_DTYPE_OF(long long, DType::kInt64)
KERNELBATCH_DTYPE_OF(unsigned char, DType::kUInt8)
KERNELBATCH_DTYPE_OF(unsigned short, DType::kUInt16)
KERNELBATCH_DTYPE_OF(unsigned int, DType::kUInt32)
KERNELBATCH_DTYPE_OF(unsigned long, DType::kUInt64)
KERNELBATCH_DTYPE_OF(unsigned long long, DType::kUInt64)
KERNELBATCH_DTYPE_OF(Float16, DType::kFloat16)
KERNELBATCH_DTYPE_OF(BFloat16, DType::kBFloat16)
KERNELBATCH_DTYPE_OF(float, DType::kFloat32)
KERNELBATCH_DTYPE_OF(double, DType::kFloat64)
KERNELBATCH_DTYPE_OF(std::complex<float>, DType::kComplex64)
KERNELBATCH_DTYPE_OF(std::complex<double>, DType::kComplex128)
#undef KERNELBATCH_DTYPE_OF

/// Calls `function` with a value-initialised element of the dtype's C++ type.
template <class Function>
decltype(auto) dispatch(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kBool:
      return function(bool{});
    case DType::kInt8:
      return function(static_cast<signed char>(0));
    case DType::kInt16:
      return function(std::int16_t{});
    case DType::kInt32:
      return function(std::int32_t{});
    case DType::kInt64:
      return function(std::int64_t{});
    case DType::kUInt8:
      return function(std::uint8_t{});
    case DType::kUInt16:
      return function(std::uint16_t{});
    case DType::kUInt32:
      return function(std::uint32_t{});
    case DType::kUInt64:
      return function(std::uint64_t{});
    case DType::kFloat16:
      return function(Float16{});
    case DType::kBFloat16:
      return function(BFloat16{});
    case DType::kFloat32:
      return function(float{});
    case DType::kFloat64:
      return function(double{});
    case DType::kComplex64:
      return function(std::complex<float>{});
    case DType::kComplex128:
      break;
  }
  return function(std::complex<double>{});
}

}  // namespace kernelbatch
