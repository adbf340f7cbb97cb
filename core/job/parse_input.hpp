// Entries of `inputs:`: how an array is created.
#pragma once

#include <string>

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// A mapping with exactly one key that names the source, and that source's options; or only a
/// value, which is a `scalar`. Lists are kept as YAML text. Throws SpecError with a place.
InputSpec parse_input(const YamlKey& key, const YamlNode& node);

}  // namespace kernelbatch
