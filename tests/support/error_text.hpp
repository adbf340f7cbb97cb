// The text of the error that a piece of code throws.
#pragma once

#include <string>

namespace kernelbatch::test {

/// what() of the E that `action` throws; "nothing was thrown" otherwise. Other exceptions
/// propagate.
template <class E, class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace kernelbatch::test
