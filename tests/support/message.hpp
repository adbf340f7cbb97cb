// The message of the SpecError that something throws.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch::test {

/// Empty where nothing is thrown; other exceptions pass.
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
