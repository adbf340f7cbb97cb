// Ingredients of results in addition to the case ID. A resumed run repeats results with other
// ingredients.
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

/// Files are read completely; an unreadable file has an empty digest.
MadeOf made_of(const PlannedWorkload& workload, const MeasureSpec& measure,
               const std::string& job_folder);

/// The JSON text stored with a result.
std::string to_json(const MadeOf& made_of);

/// Names of changed ingredients: other digests, and files that only one of both has. None for an
/// empty text, from results without ingredients. Kernels of other variants do not count.
std::vector<std::string> changes_since(std::string_view stored, const MadeOf& now,
                                       std::string_view variant);

}  // namespace kernelbatch
