// Page data of the comparison of two files.
#pragma once

#include <string>

#include "core/report/compare.hpp"

namespace kernelbatch {

/// Members of the page's object, without its braces: `change` (null, or the names of both sides,
/// the differences between their environments, and a row for each pair). If there are many pairs,
/// SAME pairs are only counted.
std::string change_members(const ComparedResults* compared, const std::string& a,
                           const std::string& b);

}  // namespace kernelbatch
