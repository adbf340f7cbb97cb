// What results were made of, besides what their case's id stands for: a resumed run does anew what
// was made of something else.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/plan.hpp"

namespace kernelbatch {

/// Name of an ingredient ("input x", "header a.cuh", "plugin", "verify", "measure", "kernel raw",
/// "reference") and the digest of its content or its settings.
using MadeOf = std::vector<std::pair<std::string, std::string>>;

/// Files are read whole; one that cannot be read has an empty digest.
MadeOf made_of(const PlannedWorkload& workload, const MeasureSpec& measure,
               const std::string& job_folder);

/// As a result stores it: JSON.
std::string to_json(const MadeOf& made_of);

/// The names of what is not as it was: other digests, and files that only one of both has. None for
/// an empty text, of results that do not tell. The kernels of other variants do not count.
std::vector<std::string> changes_since(std::string_view stored, const MadeOf& now,
                                       std::string_view variant);

}  // namespace kernelbatch
