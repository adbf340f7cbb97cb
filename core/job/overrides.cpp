#include "core/job/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

struct Option {
  std::string origin;  ///< "-p n=1e6"
  std::string key;
  std::string value;
};

Option split_option(std::string_view flag, const std::string& text, std::string_view example) {
  std::string origin = fmt::format("{} {}", flag, text);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw SpecError(
        fmt::format("{}: expected a name and a value, such as {} {}", origin, flag, example));
  std::string key{trim(text.substr(0, equals))};
  std::string value{trim(text.substr(equals + 1))};
  if (key.empty()) throw SpecError(fmt::format("{}: no name before '='", origin));
  if (value.empty()) throw SpecError(fmt::format("{}: no value after '='", origin));
  return {std::move(origin), std::move(key), std::move(value)};
}

bool has_top_level_comma(std::string_view text) {
  int depth = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return true;
    }
  }
  return false;
}

void set_key(YamlNode& mapping, const std::string& key, YamlNode value, const std::string& origin) {
  for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
    if (mapping.keys[i].text != key) continue;
    mapping.keys[i].place = {origin, 0, 0};
    mapping.children[i] = std::move(value);
    return;
  }
  mapping.keys.push_back({key, {origin, 0, 0}});
  mapping.children.push_back(std::move(value));
}

void make_mapping(YamlNode& node, std::string_view name, const std::string& origin) {
  if (node.is_null()) {
    node = YamlNode{.kind = YamlNode::Kind::kMapping, .place = {origin, 0, 0}};
  } else if (!node.is_mapping()) {
    throw SpecError(
        fmt::format("{}: '{}' is {} in the job, not a mapping", origin, name, describe(node)));
  }
}

void erase_key(YamlNode& mapping, std::string_view key) {
  for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
    if (mapping.keys[i].text != key) continue;
    mapping.keys.erase(mapping.keys.begin() + static_cast<std::ptrdiff_t>(i));
    mapping.children.erase(mapping.children.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

/// The parameters added by `tune:`, if `name` is among them; else null.
YamlNode* tuned_params(YamlNode& node, const std::string& name) {
  YamlNode* const tune = node.find("tune");
  YamlNode* const params = tune == nullptr ? nullptr : tune->find("params");
  const bool has = params != nullptr && params->is_mapping() && params->find(name) != nullptr;
  return has ? params : nullptr;
}

/// If `tune:` has the parameter, sets its searched values. Returns whether any entry has it.
bool apply_tuned(YamlNode& job, const Option& option, const YamlNode& value) {
  YamlNode* const workloads = job.find("workloads");
  bool is_tuned = false;
  const auto apply = [&](YamlNode& node) {
    YamlNode* const params = tuned_params(node, option.key);
    if (params != nullptr) set_key(*params, option.key, value, option.origin);
    is_tuned = is_tuned || params != nullptr;
    return params != nullptr;
  };
  const bool is_inherited = apply(job);
  if (workloads == nullptr) return is_tuned;
  std::vector<YamlNode*> others;
  for (YamlNode& entry : workloads->children)
    if (!apply(entry)) others.push_back(&entry);
  if (!is_tuned || is_inherited) return is_tuned;
  for (YamlNode* entry : others) {
    if (entry->find("params") == nullptr) set_key(*entry, "params", {}, option.origin);
    YamlNode& params = *entry->find("params");
    make_mapping(params, "params", option.origin);
    set_key(params, option.key, value, option.origin);
  }
  return true;
}

void apply_param(YamlNode& job, const std::string& text) {
  const Option option = split_option("-p", text, "n=1e6,1e7");
  if (!is_identifier(option.key))
    throw SpecError(
        fmt::format("{}: '{}' is not the name of a parameter", option.origin, option.key));
  YamlNode value = parse_yaml_argument(
      has_top_level_comma(option.value) ? "[" + option.value + "]" : option.value, option.origin);
  if (apply_tuned(job, option, value)) return;
  YamlNode* params = job.find("params");
  if (params == nullptr) {
    set_key(job, "params", {}, option.origin);
    params = job.find("params");
  }
  make_mapping(*params, "params", option.origin);
  set_key(*params, option.key, std::move(value), option.origin);

  YamlNode* workloads = job.find("workloads");
  if (workloads == nullptr) return;
  for (YamlNode& entry : workloads->children) {
    YamlNode* own = entry.find("params");
    if (own == nullptr) continue;
    erase_key(*own, option.key);
    if (own->is_mapping() && own->keys.empty()) erase_key(entry, "params");
  }
}

/// The node one step down a path, created if it is missing.
YamlNode& step(YamlNode& node, const std::string& name, std::string_view so_far,
               const std::string& origin) {
  if (node.is_list()) {
    const auto index = try_parse_integer(name);
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(node.children.size()))
      throw SpecError(fmt::format("{}: '{}' is a list of {}, which has no item '{}'", origin,
                                  so_far, node.children.size(), name));
    return node.children[static_cast<std::size_t>(*index)];
  }
  make_mapping(node, so_far, origin);
  if (node.find(name) == nullptr) set_key(node, name, {}, origin);
  return *node.find(name);
}

void apply_setting(YamlNode& job, const std::string& text) {
  const Option option = split_option("-s", text, "measure.preset=quick");
  YamlNode value = parse_yaml_argument(option.value, option.origin);
  YamlNode* parent = nullptr;
  YamlNode* node = &job;
  std::string so_far = "the job";
  const std::vector<std::string> steps = split(option.key, '.');
  constexpr std::size_t kDeepest = 64;  // same limit as in a file
  if (steps.size() > kDeepest)
    throw SpecError(fmt::format("{}: nested more than {} levels deep", option.origin, kDeepest));
  for (const std::string& name : steps) {
    if (name.empty())
      throw SpecError(fmt::format("{}: '{}' is not a path of keys such as measure.preset",
                                  option.origin, option.key));
    parent = node;
    node = &step(*node, name, so_far, option.origin);
    so_far = so_far == "the job" ? name : so_far + "." + name;
  }
  if (!value.is_null()) {
    *node = std::move(value);
  } else if (parent->is_mapping()) {
    erase_key(*parent, steps.back());
  } else {
    throw SpecError(fmt::format("{}: an item of a list cannot be removed", option.origin));
  }
}

}  // namespace

void apply_overrides(YamlNode& job, const Overrides& overrides) {
  if (job.is_mapping() || job.is_null()) {
    for (const std::string& setting : overrides.settings) apply_setting(job, setting);
    for (const std::string& param : overrides.params) apply_param(job, param);
  }
}

}  // namespace kernelbatch
