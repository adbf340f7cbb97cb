// Extents and strides of up to 32 axes, as values without allocation.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace kernelbatch {

inline constexpr int kMaxAxes = 32;

/// A short list of 64-bit numbers: extents in elements, or strides in bytes.
class Extents {
 public:
  Extents() = default;
  Extents(std::initializer_list<std::int64_t> values);
  explicit Extents(std::span<const std::int64_t> values);
  /// `count` times `value`. Throws SpecError for more than kMaxAxes.
  static Extents filled(int count, std::int64_t value);

  int count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  std::int64_t operator[](int axis) const noexcept {
    return values_[static_cast<std::size_t>(axis)];
  }
  std::int64_t& operator[](int axis) noexcept { return values_[static_cast<std::size_t>(axis)]; }
  void push_back(std::int64_t value);
  void pop_back() noexcept { --count_; }
  const std::int64_t* begin() const noexcept { return values_.data(); }
  const std::int64_t* end() const noexcept { return values_.data() + count_; }
  friend bool operator==(const Extents& a, const Extents& b) noexcept;

 private:
  std::array<std::int64_t, kMaxAxes> values_{};
  int count_ = 0;
};

using Shape = Extents;
using Strides = Extents;

/// Number of elements. Throws SpecError for a negative extent or a product beyond 2^62.
std::int64_t element_count(const Shape& shape);

/// Strides of a contiguous C-ordered array.
Strides contiguous_strides(const Shape& shape, std::size_t item_bytes);

/// The broadcast shape by NumPy's rules. Throws SpecError naming the shapes.
Shape broadcast_shapes(std::span<const Shape> shapes);

/// "(2, 5)", "(7,)", "()".
std::string to_text(const Extents& extents);

}  // namespace kernelbatch
