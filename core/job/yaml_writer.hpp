// Writes YAML trees as text.
#pragma once

#include <string>

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Block-style YAML of a mapping, with lists and inner mappings on one line if they fit into 100
/// columns. Scalars are quoted if `quoted` is set or plain text would read back differently, so
/// that parse_yaml() of the result is an equal tree.
std::string write_yaml(const YamlNode& mapping);

/// One-line ("flow") YAML of any node: `[2, 5]`, `{file: x.npy}`.
std::string write_yaml_line(const YamlNode& node);

}  // namespace kernelbatch
