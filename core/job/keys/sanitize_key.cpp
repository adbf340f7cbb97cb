#include "core/job/keys/sanitize_key.hpp"

#include <string>
#include <vector>

#include "core/job/keys/value.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {

CheckKinds read_check_kinds(const YamlNode& node, std::string_view key) {
  CheckKinds kinds;
  if (!node.is_list()) return read_boolean(node, key) ? all_checks() : kinds;
  for (const YamlNode& entry : node.children)
    with_place(entry.place, key, [&] { kinds.merge(parse_checks(read_text(entry, key))); });
  return kinds;
}

Checks read_checks(const YamlNode& node, std::string_view key) {
  if (!node.is_list()) return {.kinds = read_check_kinds(node, key)};
  std::vector<std::string> words;
  for (const YamlNode& entry : node.children)
    with_place(entry.place, key, [&] {
      words.push_back(read_text(entry, key));
      parse_check_words({words.back()});
    });
  return parse_check_words(words);
}

YamlNode checks_node(const Checks& checks) {
  if (checks.empty()) return {};  // as in jobs of older versions
  std::vector<Scalar> names;
  for (const CheckKind kind : checks.kinds)
    names.push_back({std::string(name_of(kind)), {}, false});
  if (checks.place != CheckPlace::kHost)
    names.push_back({std::string(name_of(checks.place)), {}, false});
  return list_node(names);
}

Rule checks_rule(bool has_place) {
  if (has_place)
    return Rule::json(R"({
      "anyOf": [
        {"type": "boolean"},
        {"type": "array", "minItems": 1,
         "items": {"enum": ["memory", "race", "init", "sync", "host", "gpu", "both"]}}
      ]
    })");
  return Rule::json(R"({
    "anyOf": [
      {"type": "boolean"},
      {"type": "array", "minItems": 1, "items": {"enum": ["memory", "race", "init", "sync"]}}
    ]
  })");
}

}  // namespace kernelbatch
