// Keys of `slurm:`: the options of sbatch, and what `submit` adds to them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/job/keys/key.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Kept as written, in the order written: SlurmSpec. The kinds are kBoolean for an option without a
/// value, kBooleanOrText for one with an optional value, kCount for a whole number.
std::span<const Key> slurm_keys();

/// Null if there is no such key.
const Key* find_slurm_key(std::string_view name);

/// "--cpus-per-task" for `cpus` and for `cpus_per_task`.
std::string sbatch_option_of(std::string_view key);

/// The value of the key; null if it is not set.
const Scalar* find_value(const SlurmSpec& slurm, std::string_view key);

}  // namespace kernelbatch
