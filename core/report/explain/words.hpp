// Formats shares and amounts for sentences.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/text.hpp"

namespace kernelbatch::explain {

inline std::string share(double of) { return fmt::format("{:.0f} %", 100 * of); }
/// a over b: "1.01x", "3.3x", "440x"
inline std::string times(double a, double b) {
  if (!(b > 0)) return "more of";
  const double ratio = a / b;
  return ratio < 1.1   ? fmt::format("{:.2f}x", ratio)
         : ratio < 100 ? fmt::format("{:.2g}x", ratio)
                       : fmt::format("{:.0f}x", ratio);
}
inline std::string bytes(double count) { return format_decimal(count, "B"); }

}  // namespace kernelbatch::explain
