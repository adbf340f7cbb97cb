// Page data of the comparison of two files.
#pragma once

#include <string>

#include "core/report/compare.hpp"
#include "core/report/page/data/page_json.hpp"

namespace kernelbatch {

/// The page's member `change`: null, or the names of both sides, the differences between their
/// environments, and a row for each pair. If there are many pairs, SAME pairs are only counted.
PageJson page_change(const ComparedResults* compared, const std::string& a, const std::string& b);

}  // namespace kernelbatch
