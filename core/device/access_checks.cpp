#include "core/device/access_checks.hpp"

#include <fmt/format.h>

namespace kernelbatch {
std::string to_text(const Dim3& place) {
  return fmt::format("({},{},{})", place.x, place.y, place.z);
}

std::string to_text(const CodePlace& place) {
  if (place.line == 0) return "an unknown line";
  std::string text = fmt::format("{}:{}", place.file, place.line);
  if (place.column != 0) text += fmt::format(":{}", place.column);
  return text;
}

}  // namespace kernelbatch
