// Parses job files to JobSpec: strict, with the place of every error.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/job/keys/key.hpp"
#include "core/job/overrides.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// The keys at the top of a job.
std::vector<Key> job_keys();

/// Parses a job from YAML (or JSON) text; `path` is used for places, for the default name (its
/// stem, with `_` for invalid characters) and for relative inputs. Does not know workloads: their
/// names, parameters and variants are checked when they are loaded. Throws SpecError
/// "<path>:<line>:<column>: …".
///
/// `measure.preset` sets the other keys of `measure:`, which override it one by one. An entry of
/// `workloads:` takes missing keys from the top level: `params`, `inputs` and `verify` key by key,
/// the others as a whole.
JobSpec parse_job(std::string_view text, const std::filesystem::path& path,
                  const Overrides& overrides = {});

/// The same for a file.
JobSpec load_job(const std::filesystem::path& path, const Overrides& overrides = {});

}  // namespace kernelbatch
