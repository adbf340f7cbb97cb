// YAML nodes of a captured job.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/app/capture/record.hpp"
#include "core/job/yaml_node.hpp"

namespace kernelbatch::app {

YamlNode scalar_node(std::string text);
/// A text that must not be read as a number.
YamlNode quoted_node(std::string text);
YamlNode list_node(std::vector<YamlNode> items);
YamlNode mapping_node(std::vector<std::pair<std::string, YamlNode>> entries);
YamlNode extent_node(const Dim3& extent);
YamlNode extents_node(const std::vector<std::int64_t>& extents);

/// A parameter that points to no array: a number of 4 or 8 bytes, or bytes.
YamlNode scalar_argument_node(const std::string& bytes, const RecordedParameter& place);

/// The value at an offset of the parameter buffer.
template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace kernelbatch::app
