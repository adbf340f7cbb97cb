#include "core/job/spec.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace kernelbatch {

std::string to_text(const SourcePlace& place) {
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

void fail_at(const SourcePlace& place, std::string_view message) {
  if (place.file.empty()) throw SpecError(std::string(message));
  throw SpecError(fmt::format("{}: {}", to_text(place), message));
}

}  // namespace kernelbatch
