// YAML text as a plain tree with places: the only door to yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/yaml_node.hpp"

namespace kernelbatch {

/// Parses one document (JSON is YAML). Throws SpecError "<file>:<line>:<column>: …" for syntax
/// errors, duplicate keys, keys that are not plain text, merge keys (`<<`), a second document, and
/// for documents too large or too deep, or whose aliases repeat too much. `file` is used in places
/// only. An empty document is a null node.
YamlNode parse_yaml(std::string_view text, const std::string& file);

/// A document from the command line: every place in it is just `origin`, without lines.
YamlNode parse_yaml_argument(std::string_view text, const std::string& origin);

/// A node in words, for messages: "nothing", "'text'", "a list", "a mapping".
std::string describe(const YamlNode& node);

}  // namespace kernelbatch
