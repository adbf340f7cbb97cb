// YAML trees as text.
#pragma once

#include <string>

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Block-style YAML of a mapping, with lists and inner mappings on one line where they fit in 100
/// columns. Scalars are quoted where `quoted` says so or plain text would read back differently, so
/// parse_yaml() of the result is an equal tree.
std::string write_yaml(const YamlNode& mapping);

/// One-line ("flow") YAML of any node: `[2, 5]`, `{file: x.npy}`.
std::string write_yaml_line(const YamlNode& node);

}  // namespace kernelbatch
