// Command line options of `try` and `serve`.
#pragma once

#include <vector>

#include "core/app/options.hpp"
#include "core/app/try/try_job.hpp"

namespace kernelbatch::app {

/// All but the files.
std::vector<Option> try_options(TryOptions& request);

}  // namespace kernelbatch::app
