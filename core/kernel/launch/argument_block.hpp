// ArgumentBlock: the bytes of a launch's arguments, and StructBytes: those of a struct among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// A vector that allocates only above `Capacity` elements. Elements up to size() are initialised.
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

/// The arguments of one launch, in the order of the kernel's parameters, passed to Kernel::launch
/// as pointers. Allocates nothing up to 4 KiB, which every GPU supports.
class ArgumentBlock {
 public:
  /// Room for the next argument, aligned to 16; valid until the next one is appended.
  std::byte* append_space(std::size_t size);
  /// Returns the argument's offset.
  std::size_t append(const void* bytes, std::size_t size);
  template <class T>
  std::size_t append_value(const T& value) {
    return append(&value, sizeof value);
  }
  /// An array_view<T, Rank> of the prelude.
  void append_view(const Array& array);

  std::byte* at(std::size_t offset) noexcept { return bytes_.data() + offset; }
  /// Addresses of the arguments; valid until the next one is appended.
  std::span<void* const> addresses();
  std::span<const std::size_t> sizes() const noexcept { return {sizes_.data(), sizes_.size()}; }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kArguments = 64;
  InlineVector<std::byte, kBytes> bytes_;
  InlineVector<std::size_t, kArguments> offsets_, sizes_;
  InlineVector<void*, kArguments> addresses_;
};

/// A struct that a kernel takes by value, built member by member under C's alignment rules: its
/// bytes, and the text that declares its members in the same order.
class StructBytes {
 public:
  /// Returns the member's offset. `comment` follows its declaration.
  std::size_t append(std::string_view type, std::string_view name, const void* bytes,
                     std::size_t size, std::size_t alignment, std::string_view comment = "");
  template <class T>
  std::size_t append_value(std::string_view type, std::string_view name, const T& value,
                           std::string_view comment = "") {
    return append(type, name, &value, sizeof value, alignof(T), comment);
  }
  /// Several members of one type: `type name[count];`.
  template <class T>
  std::size_t append_list(std::string_view type, std::string_view name,
                          const std::vector<T>& values) {
    const std::string list = std::string(name) + "[" + std::to_string(values.size()) + "]";
    return append(type, list, values.data(), values.size() * sizeof(T), alignof(T));
  }
  /// A struct as a member.
  std::size_t append_struct(std::string_view type, std::string_view name, const StructBytes& value);

  /// Padded to the struct's own alignment; a struct without members has one byte.
  std::vector<std::byte> finish() const;
  /// Declarations in order, one per line: "  float* _p_x;".
  const std::string& members() const noexcept { return members_; }
  /// A static_assert that the struct of this name has the same size in the compiler.
  std::string assertion(std::string_view name) const;

 private:
  std::string members_;
  std::vector<std::byte> bytes_;
  std::size_t alignment_ = 1;
};

/// Throws RunError if the sizes in a block differ from those of the kernel's parameters: host code
/// and the kernel's text then disagree. A kernel without known sizes passes.
void require_same_layout(const ArgumentBlock& block, const Kernel& kernel, const std::string& name);

/// "array_view<const float, 2, true>": the type under which an array is passed as a view.
std::string view_type(const Array& array, std::string_view element_type);

/// Members of that view, in order: data, size, shape…, strides….
std::vector<std::int64_t> view_words(const Array& array);

}  // namespace kernelbatch
