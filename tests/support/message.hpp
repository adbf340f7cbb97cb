// The message of a thrown SpecError.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch::test {

/// Empty if nothing is thrown; other exceptions propagate.
template <class Body>
std::string message_of(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const SpecError& error) {
    return error.exit_code() == ExitCode::kBadSpec ? error.what() : "wrong exit code";
  }
  return "";
}

}  // namespace kernelbatch::test
