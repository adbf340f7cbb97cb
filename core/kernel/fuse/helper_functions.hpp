// Device functions that the text of expressions calls: NumPy's maximum, floor_divide, power, ….
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// The functions that a text calls, and those that these call.
std::string helper_functions(std::string_view text);

}  // namespace kernelbatch
