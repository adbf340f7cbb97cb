// What a kernel is called with: arrays and scalars.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// An array, or a scalar with the dtype of its C++ type. Made implicitly from either; views an
/// array that must outlive the call.
class Argument {
 public:
  Argument(const Array& array) : array_(&array) {}
  template <class T>
  requires kHasDType<T> Argument(T value) : dtype_(kDTypeOf<T>), scalar_(widen(value)) {}

  bool is_array() const noexcept { return array_ != nullptr; }
  const Array& array() const noexcept { return *array_; }
  /// Of the array, or of the scalar as given.
  DType dtype() const noexcept { return is_array() ? array_->dtype() : dtype_; }

  /// Writes the scalar's value as `dtype` to `to`. Throws SpecError, naming `name`, when the value
  /// is out of range (or NaN, for an integer), or complex where a real number is wanted.
  void write_scalar(DType dtype, std::byte* to, const std::string& name) const;

 private:
  using Scalar = std::variant<std::int64_t, std::uint64_t, double, std::complex<double>>;
  template <class T>
  static Scalar widen(T value) {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
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

  const Array* array_ = nullptr;
  DType dtype_ = DType::kFloat64;
  Scalar scalar_;
};

/// The argument bytes of one launch: appended in the order of the kernel's parameters, handed to
/// Kernel::launch as pointers.
class ArgumentBytes {
 public:
  void append(const void* bytes, std::size_t size);
  template <class T>
  void append_value(const T& value) {
    append(&value, sizeof value);
  }
  /// An array_view<T, Rank> of the prelude.
  void append_view(const Array& array);
  std::vector<void*> pointers();
  const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> offsets_, sizes_;
};

/// Bytes of a struct built member by member under C's alignment rules.
class StructBytes {
 public:
  void append(const void* bytes, std::size_t size, std::size_t alignment);
  template <class T>
  void append_value(const T& value) {
    append(&value, sizeof value, alignof(T));
  }
  /// Padded to the struct's own alignment.
  std::vector<std::byte> finish() const;

 private:
  std::vector<std::byte> bytes_;
  std::size_t alignment_ = 1;
};

/// "array_view<const float, 2, true>": the type under which an array is passed as a view.
std::string view_type(const Array& array, std::string_view element_type);

/// Members of that view, in order: data, size, shape…, strides….
std::vector<std::int64_t> view_words(const Array& array);

}  // namespace kernelbatch
