#include "core/job/keys/key.hpp"

#include <fmt/format.h>

#include "core/job/reader.hpp"

namespace kernelbatch {

void expect_keys(const YamlNode& node, std::string_view what, std::span<const Key> keys) {
  expect_mapping(node, what, key_names(keys));
  for (const Key& key : keys)
    if (key.is_required && node.find(key.name) == nullptr)
      fail_at(node.place, fmt::format("'{}' has no '{}'", what, key.name));
}

}  // namespace kernelbatch
