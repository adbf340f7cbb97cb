// The data of the report's page: names once, results as rows of numbers.
#pragma once

#include <span>
#include <string>

#include "core/report/compare.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// One JSON object without "<", so that it can be inside a script element. `compared`, if given, is
/// the second file compared with the first.
std::string page_data(std::span<const ResultFile> files, const std::string& title,
                      const std::string& date, const ComparedResults* compared = nullptr);

}  // namespace kernelbatch
