// The contract of every target.
#pragma once

#include <stdexcept>
#include <string_view>

#include "core/base/error.hpp"
#include "tests/fuzz/targets.hpp"

namespace kernelbatch::fuzz {

/// A failed claim of a target. Not a kernelbatch::Error, so that it escapes.
struct BrokenClaim : std::logic_error {
  using std::logic_error::logic_error;
};

inline void claim(bool holds, const char* what) {
  if (!holds) throw BrokenClaim(what);
}

/// True if `body` rejects its input correctly: by a kernelbatch::Error with a message.
template <class Body>
bool is_refused(const Body& body) {
  try {
    body();
    return false;
  } catch (const Error& error) {
    claim(!std::string_view(error.what()).empty(), "an error without a sentence");
    return true;
  }
}

inline std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// The text up to the next end of line; removes both from `rest`.
inline std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

}  // namespace kernelbatch::fuzz
