// Job files to JobSpec: strict, with the place of everything that is wrong.
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

/// A job from YAML (or JSON) text; `path` is used for places, for the default name (its stem, with
/// `_` for what no name may have) and for relative inputs. Knows nothing of workloads: their names,
/// parameters and variants are checked by who loads them. Throws SpecError
/// "<path>:<line>:<column>: …".
///
/// `measure.preset` sets the other keys of `measure:`, which override it one by one. An entry of
/// `workloads:` takes from the top level what it lacks: `params`, `inputs` and `verify` key by key,
/// the rest as a whole.
JobSpec parse_job(std::string_view text, const std::filesystem::path& path,
                  const Overrides& overrides = {});

/// The same of a file.
JobSpec load_job(const std::filesystem::path& path, const Overrides& overrides = {});

}  // namespace kernelbatch
