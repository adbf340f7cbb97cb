// Arguments of a kernel: arrays, scalars, textures, bytes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

class Texture;
class Surface;

/// An array, or a scalar with the dtype of its C++ type. Converts implicitly from either; views its
/// source, which must outlive the call.
class Argument {
 public:
  enum class Kind : std::uint8_t {
    kScalar,
    kArray,
    kPointer,  ///< an array of which only the first element's address is passed
    kNull,
    kBytes,
    kTexture,
    kSurface,
  };

  Argument(const Array& array) : kind_(Kind::kArray), array_(&array) {}
  template <class T>
  requires kHasDType<T> Argument(T value) : dtype_(kDTypeOf<T>), scalar_(widen(value)) {}
  Argument(std::nullptr_t) : kind_(Kind::kNull) {}
  Argument(const Texture& texture);
  Argument(const Surface& surface);

  Kind kind() const noexcept { return kind_; }
  bool is_array() const noexcept { return array_ != nullptr; }
  bool is_handle() const noexcept { return kind_ == Kind::kTexture || kind_ == Kind::kSurface; }
  const Array& array() const noexcept { return *array_; }
  /// Dtype of the array, or of the scalar as given. A texture's handle is a uint64.
  DType dtype() const noexcept { return is_array() ? array_->dtype() : dtype_; }
  /// Size of the argument's unconverted value in bytes.
  std::size_t value_bytes() const noexcept { return bytes_ != nullptr ? size_ : size_of(dtype_); }
  /// Writes those bytes; not for arrays.
  void write_value(std::byte* to) const noexcept;

  /// Writes the scalar's value as `dtype` to `to`. Throws SpecError, naming `name`, if the value is
  /// out of range (or NaN, for an integer), is complex but `dtype` is real, or if the argument is
  /// neither a number nor a texture.
  void write_scalar(DType dtype, std::byte* to, const std::string& name) const;

  /// "an array of float64", "a scalar of int32", "a texture": for messages.
  std::string describe() const;

 private:
  friend Argument as_pointer(const Array& array) noexcept;
  friend Argument as_bytes(std::span<const std::byte> bytes) noexcept;
  template <class T>
  requires std::is_trivially_copyable_v<T>
  friend Argument as_bytes(const T& value) noexcept;

  using Scalar = std::variant<std::int64_t, std::uint64_t, double, std::complex<double>>;
  template <class T>
  static Scalar widen(T value) {
    if constexpr (ReducedFloat<T>)
      return static_cast<double>(to_float(value));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(value);
    else if constexpr (std::is_unsigned_v<T>)
      return static_cast<std::uint64_t>(value);
    else if constexpr (std::is_integral_v<T>)
      return static_cast<std::int64_t>(value);
    else
      return std::complex<double>(value);
  }

  Kind kind_ = Kind::kScalar;
  DType dtype_ = DType::kUInt64;
  const Array* array_ = nullptr;
  const void* bytes_ = nullptr;
  std::size_t size_ = 0;
  Scalar scalar_;
};

/// An array passed to a raw kernel as the address of its first element, whatever its strides and
/// the pointer's type.
inline Argument as_pointer(const Array& array) noexcept {
  Argument argument(array);
  argument.kind_ = Argument::Kind::kPointer;
  return argument;
}

/// The bytes of a struct, passed to a raw kernel by value; not copied.
inline Argument as_bytes(std::span<const std::byte> bytes) noexcept {
  Argument argument(nullptr);
  argument.kind_ = Argument::Kind::kBytes;
  argument.bytes_ = bytes.data();
  argument.size_ = bytes.size();
  return argument;
}
template <class T>
requires std::is_trivially_copyable_v<T> Argument as_bytes(const T& value)
noexcept {
  Argument argument(nullptr);
  argument.kind_ = Argument::Kind::kBytes;
  argument.bytes_ = &value;
  argument.size_ = sizeof value;
  return argument;
}

}  // namespace kernelbatch
