// The user's macros in generated kernels: defined only within the user's texts.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch {

/// A generated kernel in which macros of the options and of the user's texts cannot affect
/// generated code: they are undefined after each of the user's texts and defined again before the
/// next one. `text` has a `#line 1 "…"` at the begin of a user's text and `#line 1 "generated"` at
/// its end. Macros defined more than once, or by a header, are unchanged.
std::string guard_macros(std::string text, const std::vector<std::string>& options);

}  // namespace kernelbatch
