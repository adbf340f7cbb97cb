// The user's macros in generated kernels: in force in the user's texts alone.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch {

/// A generated kernel, in which macros of the options and of the user's texts do not meet the names
/// of the generated code: between the user's texts they are undefined, and defined anew in the next
/// of them. `text` has a `#line 1 "…"` where a text of the user begins and `#line 1 "generated"`
/// where it ends. Macros that a text defines more than once, or a header, stay as they are.
std::string guard_macros(std::string text, const std::vector<std::string>& options);

}  // namespace kernelbatch
