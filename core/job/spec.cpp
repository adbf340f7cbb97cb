#include "core/job/spec.hpp"

#include <fmt/format.h>

namespace kernelbatch {

std::string to_text(const SourcePlace& place) {
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

}  // namespace kernelbatch
