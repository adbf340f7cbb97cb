// Work of a resumed run.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/job/spec.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

struct MissingWork {
  std::size_t cases = 0;    ///< with at least one missing result
  std::size_t results = 0;  ///< results of these cases that a resumed run would make
};

/// Cases of the plan, without searches. Throws StoreError if the merged file is unreadable.
MissingWork missing_work(const JobSpec& job, const Plan& plan,
                         const std::filesystem::path& output_file);

}  // namespace kernelbatch
