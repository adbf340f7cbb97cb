// Filling the placeholders of a source template.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kernelbatch {

/// Replaces every `${name}` of `text`. Throws std::logic_error for a placeholder without a value
/// and for a value without a placeholder: both are errors of the generator, never of the user's
/// text.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace kernelbatch
