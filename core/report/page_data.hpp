// The data of the report's page: names once, results as rows of numbers.
#pragma once

#include <span>
#include <string>

#include "core/result/reader.hpp"

namespace kernelbatch {

/// One JSON object, without "<": it can stand in a script element.
std::string page_data(std::span<const ResultFile> files, const std::string& title,
                      const std::string& date);

}  // namespace kernelbatch
