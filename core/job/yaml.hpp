// Parses YAML text to a plain tree with places: the only user of yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/yaml_node.hpp"

namespace kernelbatch {

/// Parses one document (JSON is YAML). Throws SpecError "<file>:<line>:<column>: …" for syntax
/// errors, duplicate keys, keys that are not plain text, merge keys (`<<`), a second document, and
/// documents that are too large, too deep, or repeat too much through aliases. `file` is used only
/// in places. An empty document is a null node.
YamlNode parse_yaml(std::string_view text, const std::string& file);

/// A document from the command line: its places are all `origin`, without lines.
YamlNode parse_yaml_argument(std::string_view text, const std::string& origin);

/// Description of a node for messages: "nothing", "'text'", "a list", "a mapping".
std::string describe(const YamlNode& node);

}  // namespace kernelbatch
