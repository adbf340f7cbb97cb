// AxisNumbers: a short list of axes, without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/array/shape.hpp"
#include "core/base/error.hpp"

namespace kernelbatch {

/// At most kMaxAxes axes as given by the user; negative ones count from the end.
class AxisNumbers {
 public:
  AxisNumbers(std::initializer_list<int> axes) : AxisNumbers(std::span(axes.begin(), axes.end())) {}
  AxisNumbers(const std::vector<int>& axes) : AxisNumbers(std::span<const int>(axes)) {}
  explicit AxisNumbers(std::span<const int> axes) : count_(axes.size()) {
    if (count_ > numbers_.size())
      throw SpecError("an array can have at most " + std::to_string(kMaxAxes) + " axes, " +
                      std::to_string(count_) + " are named");
    std::ranges::copy(axes, numbers_.begin());
  }

  std::vector<int> numbers() const { return {numbers_.begin(), numbers_.begin() + size()}; }
  friend bool operator==(const AxisNumbers& a, const AxisNumbers& b) noexcept {
    return std::equal(a.numbers_.begin(), a.numbers_.begin() + a.size(), b.numbers_.begin(),
                      b.numbers_.begin() + b.size());
  }

 private:
  std::ptrdiff_t size() const noexcept { return static_cast<std::ptrdiff_t>(count_); }

  std::array<int, kMaxAxes> numbers_{};
  std::size_t count_ = 0;
};

}  // namespace kernelbatch
