#include "core/app/capture/nodes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace kernelbatch::app {
namespace {

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

/// True for bits that are more likely a real number than an integer.
template <class Real, class Integer>
bool looks_real(Real real, Integer integer) {
  constexpr Integer kLarge = 1 << 22;
  return integer > kLarge && std::isfinite(real) && std::abs(real) > Real(1e-9) &&
         std::abs(real) < Real(1e9);
}

YamlNode number_node(const std::string& text, const char* dtype) {
  return mapping_node({{"scalar", scalar_node(text)}, {"dtype", scalar_node(dtype)}});
}

}  // namespace

YamlNode scalar_node(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = std::move(text);
  return node;
}

YamlNode quoted_node(std::string text) {
  YamlNode node = scalar_node(std::move(text));
  node.quoted = true;
  return node;
}

YamlNode list_node(std::vector<YamlNode> items) {
  YamlNode node;
  node.kind = YamlNode::Kind::kList;
  node.children = std::move(items);
  return node;
}

YamlNode mapping_node(std::vector<std::pair<std::string, YamlNode>> entries) {
  YamlNode node;
  node.kind = YamlNode::Kind::kMapping;
  for (auto& [key, value] : entries) {
    node.keys.push_back({key, {}});
    node.children.push_back(std::move(value));
  }
  return node;
}

YamlNode extent_node(const Dim3& extent) {
  std::vector<YamlNode> items;
  for (const std::uint32_t each : {extent.x, extent.y, extent.z})
    items.push_back(scalar_node(std::to_string(each)));
  while (items.size() > 1 && items.back().text == "1") items.pop_back();
  return list_node(std::move(items));
}

YamlNode extents_node(const std::vector<std::int64_t>& extents) {
  std::vector<YamlNode> items;
  for (const std::int64_t each : extents) items.push_back(scalar_node(std::to_string(each)));
  return list_node(std::move(items));
}

YamlNode scalar_argument_node(const std::string& bytes, const RecordedParameter& place) {
  if (place.size == 8) {
    const auto integer = value_at<std::int64_t>(bytes, place.offset);
    const auto real = value_at<double>(bytes, place.offset);
    if (integer == 0) return mapping_node({{"null", YamlNode{}}});
    return looks_real(real, integer) ? number_node(fmt::format("{}", real), "float64")
                                     : number_node(fmt::format("{}", integer), "int64");
  }
  if (place.size == 4) {
    const auto integer = value_at<std::int32_t>(bytes, place.offset);
    const auto real = value_at<float>(bytes, place.offset);
    return looks_real(std::abs(real), std::abs(integer))
               ? number_node(fmt::format("{}", static_cast<double>(real)), "float32")
               : number_node(fmt::format("{}", integer), "int32");
  }
  return mapping_node(
      {{"bytes", quoted_node(hex_of(std::string_view(bytes).substr(place.offset, place.size)))}});
}

}  // namespace kernelbatch::app
