#include "core/job/parse_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

struct Source {
  std::string name;
  std::vector<std::string> options;
  bool takes_list = false;
};

const std::vector<Source>& sources() {
  static const std::vector<Source> table{
      {"file", {"dataset", "dtype"}},
      {"random", {"low", "high", "mean", "std", "seed", "shape", "dtype"}},
      {"arange", {"start", "step", "shape", "dtype"}},
      {"zeros", {"shape", "dtype"}, true},
      {"ones", {"shape", "dtype"}, true},
      {"full", {"value", "shape", "dtype"}, true},
      {"linspace", {"shape", "dtype"}, true},
      {"values", {"shape", "dtype"}, true},
      {"of", {"slice", "transpose", "broadcast_to", "reshape"}},
      {"scalar", {"dtype"}},
  };
  return table;
}

const std::vector<std::string>& source_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Source& source : sources()) all.push_back(source.name);
    return all;
  }();
  return names;
}

const Source* find_source(const std::string& name) {
  const auto found = std::find_if(sources().begin(), sources().end(),
                                  [&](const Source& source) { return source.name == name; });
  return found == sources().end() ? nullptr : &*found;
}

/// The one key that names a source.
const Source& source_of(const YamlNode& node, const std::string& input) {
  const Source* source = nullptr;
  for (const YamlKey& key : node.keys) {
    const Source* found = find_source(key.text);
    if (found == nullptr) continue;
    if (source != nullptr)
      fail_at(key.place, fmt::format("input '{}' has two sources, '{}' and '{}'", input,
                                     source->name, found->name));
    source = found;
  }
  if (source != nullptr) return *source;
  for (const YamlKey& key : node.keys) {
    const std::string near = nearest_name(key.text, source_names());
    if (!near.empty())
      fail_at(key.place, fmt::format("unknown key '{}' (did you mean '{}'?)", key.text, near));
  }
  fail_at(node.place, fmt::format("input '{}' has no source: one of {} is needed", input,
                                  join(source_names())));
}

}  // namespace

InputSpec parse_input(const YamlKey& key, const YamlNode& node) {
  if (!is_plain_name(key.text))
    fail_at(key.place, fmt::format("'{}' is not an input's name: letters, digits, '_', '-', '.' "
                                   "and '+' only, beginning with none of the last three",
                                   visible_line(key.text)));
  InputSpec input{
      .name = key.text, .kind = "scalar", .value = {}, .options = {}, .place = key.place};
  if (node.is_scalar()) {
    input.value = read_scalar(node, key.text);
    return input;
  }
  expect_mapping(node, key.text);
  const Source& source = source_of(node, key.text);
  std::vector<std::string> known = source.options;
  known.insert(known.begin(), source.name);
  expect_mapping(node, key.text, known);
  input.kind = source.name;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].text;
    const YamlNode& child = node.children[i];
    if (name != source.name) {
      input.options.emplace_back(name, read_scalar_or_list(child, name));
    } else if (source.takes_list) {
      input.value = read_scalar_or_list(child, name);
    } else if (name == "random") {
      input.value = {read_choice(child, name, {"uniform", "normal", "integers"}), child.place,
                     false};
    } else {
      input.value = read_scalar(child, name);
    }
  }
  return input;
}

}  // namespace kernelbatch
