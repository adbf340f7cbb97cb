#include "core/job/parse_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/job/keys/input_keys.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

const InputSource* find_source(const std::string& name) {
  const auto kind = parse_choice<InputKind>(name);
  return kind ? &*std::ranges::find(input_sources(), *kind, &InputSource::kind) : nullptr;
}

/// The key that names the source.
const InputSource& source_of(const YamlNode& node, const std::string& input) {
  const InputSource* source = nullptr;
  for (const YamlKey& key : node.keys) {
    const InputSource* found = find_source(key.text);
    if (found == nullptr) continue;
    if (source != nullptr)
      fail_at(key.place, fmt::format("input '{}' has two sources, '{}' and '{}'", input,
                                     name_of(source->kind), name_of(found->kind)));
    source = found;
  }
  if (source != nullptr) return *source;
  for (const YamlKey& key : node.keys) {
    const std::string near = nearest_name(key.text, names_of<InputKind>());
    if (!near.empty())
      fail_at(key.place, fmt::format("unknown key '{}' (did you mean '{}'?)", key.text, near));
  }
  fail_at(node.place, fmt::format("input '{}' has no source: one of {} is needed", input,
                                  join(names_of<InputKind>())));
}

}  // namespace

InputSpec parse_input(const YamlKey& key, const YamlNode& node) {
  if (!is_plain_name(key.text))
    fail_at(key.place, fmt::format("'{}' is not an input's name: letters, digits, '_', '-', '.' "
                                   "and '+' only, beginning with none of the last three",
                                   visible_line(key.text)));
  InputSpec input{
      .name = key.text, .kind = InputKind::kScalar, .value = {}, .options = {}, .place = key.place};
  if (node.is_scalar()) {
    input.value = read_scalar(node, key.text);
    return input;
  }
  expect_mapping(node, key.text);
  const InputSource& source = source_of(node, key.text);
  expect_keys(node, key.text, source.keys);
  input.kind = source.kind;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].text;
    const YamlNode& child = node.children[i];
    if (name != name_of(source.kind)) {
      input.options.emplace_back(name, read_scalar_or_list(child, name));
    } else if (source.keys.front().rule.kind == Rule::Kind::kScalarOrList) {
      input.value = read_scalar_or_list(child, name);
    } else if (source.kind == InputKind::kRandom) {
      input.value = {std::string(name_of(read_choice<Distribution>(child, name))), child.place,
                     false};
    } else {
      input.value = read_scalar(child, name);
    }
  }
  return input;
}

}  // namespace kernelbatch
