// What the page says of one file against another.
#pragma once

#include <string>

#include "core/report/compare.hpp"

namespace kernelbatch {

/// Members of the page's object, without its braces: `change` (null, or the names of both sides,
/// what differs around them, and a row for each pair). Of many pairs those that are alike are only
/// counted.
std::string change_members(const ComparedResults* compared, const std::string& a,
                           const std::string& b);

}  // namespace kernelbatch
