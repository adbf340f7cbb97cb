// The bytes of a launch's arguments, gathered without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A list that allocates only above `Capacity` elements. Those up to size() are initialised.
template <class T, std::size_t Capacity>
class InlineVector {
 public:
  InlineVector() noexcept {}
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;

  std::size_t size() const noexcept { return size_; }
  T* data() noexcept { return size_ <= Capacity ? inline_.data() : heap_.data(); }
  const T* data() const noexcept { return size_ <= Capacity ? inline_.data() : heap_.data(); }
  /// The new elements are not initialised.
  void resize(std::size_t size) {
    if (size > Capacity) {
      heap_.resize(size);
      if (size_ > 0 && size_ <= Capacity)
        std::memcpy(heap_.data(), inline_.data(), size_ * sizeof(T));
    }
    size_ = size;
  }
  void push_back(const T& value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  alignas(16) std::array<T, Capacity> inline_;
  std::vector<T> heap_;
  std::size_t size_ = 0;
};

/// The argument bytes of one launch: appended in the order of the kernel's parameters, handed to
/// Kernel::launch as pointers. Allocates nothing up to 4 KiB, which is what every GPU takes.
class ArgumentBytes {
 public:
  /// Room for the next argument, aligned to 16; valid until the next one is appended.
  std::byte* append_space(std::size_t size);
  void append(const void* bytes, std::size_t size) { std::memcpy(append_space(size), bytes, size); }
  template <class T>
  void append_value(const T& value) {
    append(&value, sizeof value);
  }
  /// An array_view<T, Rank> of the prelude.
  void append_view(const Array& array);

  /// Addresses of the arguments; valid until the next one is appended.
  std::span<void* const> addresses();
  /// The same as a list of its own.
  std::vector<void*> pointers();
  std::span<const std::size_t> sizes() const noexcept { return {sizes_.data(), sizes_.size()}; }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kArguments = 64;
  InlineVector<std::byte, kBytes> bytes_;
  InlineVector<std::size_t, kArguments> offsets_, sizes_;
  InlineVector<void*, kArguments> addresses_;
};

/// Bytes of a struct built member by member under C's alignment rules.
class StructBytes {
 public:
  /// Returns where the member begins.
  std::size_t append(const void* bytes, std::size_t size, std::size_t alignment);
  template <class T>
  std::size_t append_value(const T& value) {
    return append(&value, sizeof value, alignof(T));
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
