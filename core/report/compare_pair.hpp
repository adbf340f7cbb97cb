// Compares the runs of one variant of one case in two sets of files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/compare.hpp"

namespace kernelbatch {

/// A result and its file, which describes the device.
struct FoundResult {
  const ResultRecord* record;
  const ResultFile* file;
};

/// A variant's results in the files of one side.
struct ComparedSide {
  const std::vector<FoundResult>& found;  ///< may be empty
  std::size_t runs;                       ///< number of files
};

/// `a` and `b` are not both empty; `name` is the variant's in the comparison. Throws SpecError if
/// the devices differ and `options` does not allow that.
ComparedPair compare_pair(const ComparedSide& side_a, const ComparedSide& side_b,
                          const std::string& name, const CompareOptions& options);

}  // namespace kernelbatch
