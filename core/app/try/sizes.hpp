// Inputs of other sizes, for `try -p n=1,31,1000` and `try --ragged`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/app/try/try_job.hpp"

namespace kernelbatch::app {

/// Extents of the first input's first axis at which kernels are verified in addition to the given
/// one. Throws SpecError.
std::vector<std::int64_t> extents_of(const TryOptions& options);

/// The options with all inputs that have the first one's first extent cut or repeated to `extent`;
/// they are written to `folder`. 0: the extent of the files. The number that `sizes` names becomes
/// a value.
TryOptions with_extent(const TryOptions& options, std::int64_t extent,
                       const std::filesystem::path& folder);

}  // namespace kernelbatch::app
