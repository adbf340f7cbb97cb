// Advice for a job that sbatch has refused.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/job/slurm_site.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// `text` is the output of sbatch. The error has the place of the key that it is about, if the job
/// has the key.
SpecError refusal_error(std::string_view text, const SlurmSpec& slurm, const SlurmSite& site);

}  // namespace kernelbatch
