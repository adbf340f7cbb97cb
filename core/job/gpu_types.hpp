// Requests for GPUs in `slurm:`, such as `h100:1` and `gpu:1g.10gb:1`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// True for `gpus`, `gpus_per_node`, …, `gres`.
bool is_gpu_key(std::string_view key);

bool requests_gpus(const SlurmSpec& slurm);

/// Types of a request for GPUs. Throws SpecError for a type that begins with a digit and has no
/// count, which sbatch would take for a count.
std::vector<std::string> gpu_types(std::string_view key, const Scalar& value);

/// Types of "gpu:h100:2(S:0-7),gpu:2g.10gb:2", as `sinfo --format %G` prints them.
std::vector<std::string> gpu_types_of_site(std::string_view gres);

}  // namespace kernelbatch
