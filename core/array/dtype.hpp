// Element types of arrays: one row for each, and derived properties.
//
// A new dtype is a name in DType, a row in dtype_rows() and a type in the preludes
// (core/device/include/kernelbatch/common.hpp); the layout of a reduced float is in
// reduced_float.hpp. All other code uses the row.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/reduced_float.hpp"

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

enum class DTypeKind : std::uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex };

/// Properties of an element type. Size and alignment in bytes.
struct DTypeInfo {
  DType dtype;
  std::string_view name;      ///< NumPy's name, as in jobs and results
  std::string_view c_name;    ///< its name inside kernels
  std::string_view npy_code;  ///< code in .npy files; empty: stored there as `stored`
  DType stored;               ///< dtype in result files; for a complex number that of each part
  DType accumulator;          ///< dtype of sums of its elements
  std::uint32_t sentinel;     ///< fills outputs: NaN in every float, else an unlikely integer
  bool is_texel;              ///< usable as a texture channel
  std::array<std::string_view, 4> cpp_names;  ///< other single-word names inside kernels

  // Derived from the C++ type.
  DTypeKind kind;
  std::size_t size, alignment;
  int exponent_bits;     ///< of a floating type (of a complex type's parts), else 0
  double unit_roundoff;  ///< u = 2^-p of the same, else 0
};

namespace detail {

template <class T>
struct DTypeRow {
  using Element = T;
  DTypeInfo info;
};

/// Bits of the exponent, and of the significand with its leading one; 0 for integers.
template <class T>
consteval std::pair<int, int> float_bits() {
  if constexpr (ReducedFloat<T>)
    return {T::kExponentBits, T::kFractionBits + 1};
  else if constexpr (std::is_floating_point_v<T>)
    return {std::bit_width(unsigned{std::numeric_limits<T>::max_exponent}),
            std::numeric_limits<T>::digits};
  else if constexpr (requires { typename T::value_type; })
    return float_bits<typename T::value_type>();
  else
    return {0, 0};
}

template <class T>
consteval DTypeKind kind_of() {
  if constexpr (std::is_same_v<T, bool>)
    return DTypeKind::kBool;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? DTypeKind::kSigned : DTypeKind::kUnsigned;
  else
    return requires { typename T::value_type; }
  ? DTypeKind::kComplex : DTypeKind::kFloat;
}

/// Kernels align complex numbers to their size, as CUDA does.
template <class T, class... Names>
consteval DTypeRow<T> row(DType dtype, std::string_view name, std::string_view c_name,
                          std::string_view npy_code, DType stored, DType accumulator,
                          std::uint32_t sentinel, bool is_texel, Names... cpp_names) {
  const auto [exponent_bits, digits] = float_bits<T>();
  return {{.dtype = dtype,
           .name = name,
           .c_name = c_name,
           .npy_code = npy_code,
           .stored = stored,
           .accumulator = accumulator,
           .sentinel = sentinel,
           .is_texel = is_texel,
           .cpp_names = {cpp_names...},
           .kind = kind_of<T>(),
           .size = sizeof(T),
           .alignment = sizeof(T),
           .exponent_bits = exponent_bits,
           .unit_roundoff = digits == 0 ? 0 : 1 / static_cast<double>(std::uint64_t{1} << digits)}};
}

/// In the order of DType, each with the C++ type of an element on the host.
consteval auto dtype_rows() {
  using enum DType;
  constexpr std::uint32_t kOdd = 0xA5A5A5A5, kNan16 = 0x7FF57FF5, kNan = 0x7FF5A5A5;
  constexpr bool kTexel = true, kNoTexel = false;
  return std::tuple{
      row<bool>(kBool, "bool", "bool", "b1", kInt8, kBool, kOdd, kNoTexel),
      row<signed char>(kInt8, "int8", "signed char", "i1", kInt8, kInt8, kOdd, kTexel, "int8_t",
                       "char"),
      row<std::int16_t>(kInt16, "int16", "short", "i2", kInt16, kInt16, kOdd, kTexel, "int16_t"),
      row<std::int32_t>(kInt32, "int32", "int", "i4", kInt32, kInt32, kOdd, kTexel, "int32_t",
                        "signed"),
      row<std::int64_t>(kInt64, "int64", "long long", "i8", kInt64, kInt64, kOdd, kNoTexel,
                        "int64_t", "ptrdiff_t", "long", "int64"),
      row<std::uint8_t>(kUInt8, "uint8", "unsigned char", "u1", kUInt8, kUInt8, kOdd, kTexel,
                        "uint8_t"),
      row<std::uint16_t>(kUInt16, "uint16", "unsigned short", "u2", kUInt16, kUInt16, kOdd, kTexel,
                         "uint16_t"),
      row<std::uint32_t>(kUInt32, "uint32", "unsigned int", "u4", kUInt32, kUInt32, kOdd, kTexel,
                         "uint32_t", "unsigned"),
      row<std::uint64_t>(kUInt64, "uint64", "unsigned long long", "u8", kUInt64, kUInt64, kOdd,
                         kNoTexel, "uint64_t", "size_t", "uint64"),
      row<Float16>(kFloat16, "float16", "float16", "f2", kFloat32, kFloat32, kNan16, kTexel, "half",
                   "__half"),
      row<BFloat16>(kBFloat16, "bfloat16", "bfloat16", "", kFloat32, kFloat32, kNan16, kNoTexel,
                    "nv_bfloat16", "__nv_bfloat16"),
      row<float>(kFloat32, "float32", "float", "f4", kFloat32, kFloat32, kNan, kTexel),
      row<double>(kFloat64, "float64", "double", "f8", kFloat64, kFloat64, kNan, kNoTexel),
      row<std::complex<float>>(kComplex64, "complex64", "complex<float>", "c8", kFloat32,
                               kComplex64, kNan, kNoTexel, "cuComplex", "cuFloatComplex"),
      row<std::complex<double>>(kComplex128, "complex128", "complex<double>", "c16", kFloat64,
                                kComplex128, kNan, kNoTexel, "cuDoubleComplex"),
  };
}

using DTypeRows = decltype(dtype_rows());
template <std::size_t Row>
using DTypeElement = typename std::tuple_element_t<Row, DTypeRows>::Element;

}  // namespace detail

inline constexpr std::size_t kDTypeCount = std::tuple_size_v<detail::DTypeRows>;

/// All rows; a dtype's number is its index.
inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes =
    std::apply([](const auto&... row) { return std::array{row.info...}; }, detail::dtype_rows());

constexpr const DTypeInfo& info(DType dtype) noexcept {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
constexpr std::size_t size_of(DType dtype) noexcept { return info(dtype).size; }
constexpr std::string_view name_of(DType dtype) noexcept { return info(dtype).name; }

/// The dtype with NumPy's name; std::nullopt for an unknown one.
std::optional<DType> dtype_named(std::string_view name) noexcept;
/// The dtype of a C++ type's single-word name inside kernels: "float", "half", "int32_t".
std::optional<DType> dtype_of_cpp_name(std::string_view name) noexcept;
/// The dtype of NumPy's code in .npy files, without its byte order: "f4".
std::optional<DType> dtype_of_npy_code(std::string_view code) noexcept;
/// All names, for messages.
std::vector<std::string> dtype_names();

constexpr bool is_floating(DType dtype) noexcept {
  const DTypeKind kind = info(dtype).kind;
  return kind == DTypeKind::kFloat || kind == DTypeKind::kComplex;
}

/// True if its C++ type is a ReducedFloat: stored in few bits, computed in float.
constexpr bool is_reduced_float(DType dtype) noexcept {
  return info(dtype).kind == DTypeKind::kFloat && info(dtype).accumulator != dtype;
}

/// Unit roundoff u = 2^-p of a floating type (of a complex type's parts); 0 for integers.
constexpr double unit_roundoff(DType dtype) noexcept { return info(dtype).unit_roundoff; }

/// Calls `function` with a value-initialised element of the dtype's C++ type.
template <std::size_t Row = 0, class Function>
decltype(auto) dispatch(DType dtype, Function&& function) {
  if constexpr (Row + 1 < kDTypeCount)
    if (dtype != static_cast<DType>(Row))
      return dispatch<Row + 1>(dtype, std::forward<Function>(function));
  return function(detail::DTypeElement<Row>{});
}

namespace detail {

/// The row of a C++ type; kDTypeCount if there is none.
template <class T>
consteval std::size_t row_of() {
  return []<std::size_t... Row>(std::index_sequence<Row...>) {
    std::size_t found = kDTypeCount;
    ((std::is_same_v<T, DTypeElement<Row>> ? void(found = Row) : void()), ...);
    return found;
  }
  (std::make_index_sequence<kDTypeCount>{});
}

/// C++ has two integers of 64 bits; one of them is std::int64_t.
template <class T>
consteval std::size_t row_of_alike() {
  if constexpr (std::is_same_v<T, long> || std::is_same_v<T, long long>)
    return row_of<std::int64_t>();
  else if constexpr (std::is_same_v<T, unsigned long> || std::is_same_v<T, unsigned long long>)
    return row_of<std::uint64_t>();
  else
    return row_of<T>();
}

}  // namespace detail

/// DType of a C++ type.
template <class T>
inline constexpr bool kHasDType = detail::row_of_alike<T>() < kDTypeCount;
template <class T>
requires kHasDType<T>
inline constexpr DType kDTypeOf = static_cast<DType>(detail::row_of_alike<T>());

}  // namespace kernelbatch
