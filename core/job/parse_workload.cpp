#include "core/job/parse_workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error_list.hpp"
#include "core/base/text.hpp"
#include "core/job/expression.hpp"
#include "core/job/generator.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/parse_input.hpp"
#include "core/job/parse_settings.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

Axis parse_axis(const YamlKey& key, const YamlNode& node) {
  if (!is_identifier(key.text))
    fail_at(key.place,
            fmt::format("'{}' is not a parameter's name: letters, digits and '_' only", key.text));
  if (node.is_null()) fail_at(key.place, fmt::format("parameter '{}' has no value", key.text));
  return {key.text,
          node.is_mapping() ? expand_generator(node, key.text) : read_scalars(node, key.text),
          key.place};
}

std::vector<Axis> parse_params(const YamlNode& node) {
  expect_mapping(node, "params");
  std::vector<Axis> axes;
  ErrorList errors;
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    errors.attempt([&] { axes.push_back(parse_axis(node.keys[i], node.children[i])); });
  errors.raise();
  return axes;
}

/// `params:` of `tune:` is a mapping of further parameters, or a list of some of the job's.
void parse_tune(const YamlNode& node, WorkloadSpec& spec) {
  expect_mapping(node, "tune", key_names(fields<TuneSpec>()));
  TuneSpec tune;
  const YamlNode* params = node.find("params");
  if (params == nullptr || params->children.empty())
    fail_at(node.place,
            "'tune' needs 'params': the parameters to tune, such as {block: [64, 128]}");
  if (params->is_mapping()) {
    for (Axis& axis : parse_params(*params)) {
      tune.params.push_back({axis.name, axis.place, false});
      spec.params.push_back(std::move(axis));
    }
  } else {
    for (Scalar& name : read_scalars(*params, "params")) {
      if (std::ranges::find(spec.params, name.text, &Axis::name) == spec.params.end())
        fail_at(name.place, fmt::format("'tune': unknown parameter '{}'", name.text));
      tune.params.push_back(std::move(name));
    }
  }
  read_fields(tune, node, "tune", fields<TuneSpec>());
  const bool is_exhaustive = tune.search == SearchStrategy::kExhaustive;
  if (is_exhaustive && tune.budget)
    fail_at(node.find("budget")->place,
            "'tune': an exhaustive search tries every combination and has no 'budget'");
  if (!is_exhaustive && tune.search != SearchStrategy::kAuto && !tune.budget)
    fail_at(node.find("search")->place,
            fmt::format("'tune': 'search: {}' needs a 'budget': how many combinations are tried, "
                        "such as 200, or for how long, such as 10min",
                        name_of(tune.search)));
  if (!tune.start_from.text.empty() && !tune.is_searched())
    fail_at(tune.start_from.place,
            "'tune': if every combination is tried, 'start_from' has no effect; give the "
            "search a 'budget'");
  spec.tune = std::move(tune);
}

/// Names and expressions, in which quotes have no meaning.
Scalar as_word(Scalar scalar) {
  scalar.quoted = false;
  return scalar;
}

std::vector<std::vector<Scalar>> parse_zip(const YamlNode& node) {
  if (!node.is_list() || node.children.empty())
    fail_at(node.place, fmt::format("'zip' must be a list of groups such as [[n, block]], not {}",
                                    describe(node)));
  std::vector<std::vector<Scalar>> groups;
  for (const YamlNode& child : node.children) {
    if (!child.is_list() || child.children.size() < 2)
      fail_at(child.place, "a group of 'zip' is a list of at least two parameters: [[n, block]]");
    std::vector<Scalar>& group = groups.emplace_back();
    for (Scalar& name : read_scalars(child, "zip")) group.push_back(as_word(std::move(name)));
  }
  return groups;
}

std::vector<Scalar> parse_exclude(const YamlNode& node) {
  std::vector<Scalar> filters;
  for (Scalar& filter : read_scalars(node, "exclude")) {
    filters.push_back(as_word(std::move(filter)));
    const Expression checked(filters.back());
  }
  return filters;
}

std::vector<Scalar> parse_variants(const YamlNode& node) {
  std::vector<Scalar> variants;
  for (Scalar& variant : read_scalars(node, "variants")) {
    for (const Scalar& earlier : variants)
      if (earlier.text == variant.text)
        fail_at(variant.place, fmt::format("variant '{}' is listed twice", variant.text));
    variants.push_back(as_word(std::move(variant)));
  }
  return variants;
}

std::vector<InputSpec> parse_inputs(const YamlNode& node) {
  if (!node.is_mapping() || !node.keys.empty()) expect_mapping(node, "inputs");
  std::vector<InputSpec> inputs;
  ErrorList errors;
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    errors.attempt([&] { inputs.push_back(parse_input(node.keys[i], node.children[i])); });
  errors.raise();
  return inputs;
}

std::size_t index_of(const YamlNode& mapping, std::string_view key) {
  const auto found = std::find_if(mapping.keys.begin(), mapping.keys.end(),
                                  [&](const YamlKey& other) { return other.text == key; });
  return static_cast<std::size_t>(found - mapping.keys.begin());
}

/// Adds keys missing in `to`, in the order of `from` and before `to`'s own additional keys.
YamlNode merged(const YamlNode& to, const YamlNode& from) {
  if (!to.is_mapping() || !from.is_mapping()) return to;
  YamlNode result = from;
  for (std::size_t i = 0; i < to.keys.size(); ++i) {
    const std::size_t at = index_of(result, to.keys[i].text);
    if (at < result.keys.size()) {
      result.keys[at] = to.keys[i];
      result.children[at] = to.children[i];
    } else {
      result.keys.push_back(to.keys[i]);
      result.children.push_back(to.children[i]);
    }
  }
  result.place = to.place;
  return result;
}

}  // namespace

std::span<const Key> workload_keys() {
  using enum Rule::Kind;
  static constexpr Key kKeys[] = {
      {"workload", Rule::of(kText),
       "what to run: a workload's name (`kernelbatch list`), the path of a plugin, or `inline`: "
       "kernels in this job"},
      {"params", Rule::json(R"({"$ref": "#/definitions/params"})"),
       "parameters of the workload: a value, a list of values, or a generator. All combinations "
       "are run"},
      {"tune", Rule::mapping("tune"), "parameters to tune"},
      {"zip", Rule::json(R"({
         "type": "array",
         "minItems": 1,
         "items": {"type": "array", "minItems": 2, "items": {"$ref": "#/definitions/text"}}
       })"),
       "groups of parameters that advance together: `[[n, dtype]]`"},
      {"exclude", Rule::of(kScalars),
       "expressions of parameters; combinations for which one is true are excluded: "
       "`[\"dtype == 'float64' and n > 2^24\"]`"},
      {"variants", Rule::json(R"({
         "anyOf": [{"$ref": "#/definitions/texts"}, {"$ref": "#/definitions/inline_variants"}]
       })"),
       "variants to run, by name (default: all); for `workload: inline` the kernels "
       "themselves, by name"},
      {"baseline", Rule::of(kText),
       "the variant that speed-ups refer to (default: the reference, or the first variant if "
       "the reference is not timed)"},
      {"inputs", Rule::json(R"({
         "type": "object",
         "minProperties": 1,
         "additionalProperties": {"$ref": "#/definitions/input"}
       })"),
       "arrays that replace the workload's own, by name"},
      {"outputs", Rule::json(R"({
         "type": "object",
         "minProperties": 1,
         "additionalProperties": {"$ref": "#/definitions/output_buffer"}
       })"),
       "for `workload: inline`: buffers that kernels write; elementwise, reduction and fused "
       "kernels make their own"},
      {"reference", Rule::json(R"({"$ref": "#/definitions/inline_reference"})"),
       "for `workload: inline`: the expected outputs"},
      {"verify", Rule::mapping("verify"), "verification"}};
  return kKeys;
}

WorkloadSpec parse_workload(const YamlNode& mapping) {
  WorkloadSpec spec;
  spec.place = mapping.place;
  const YamlNode* workload = mapping.find("workload");
  if (workload == nullptr)
    fail_at(mapping.place, "no workload: 'workload:' names what to run, such as 'workload: mse'");
  ErrorList errors;
  const auto read = [&](std::string_view key, const auto& body) {
    if (const YamlNode* found = mapping.find(key)) errors.attempt([&] { body(*found); });
  };
  read("workload", [&](const YamlNode& node) {
    spec.workload = {read_text(node, "workload"), node.place, false};
  });
  read("params", [&](const YamlNode& node) { spec.params = parse_params(node); });
  read("tune", [&](const YamlNode& node) { parse_tune(node, spec); });
  read("zip", [&](const YamlNode& node) { spec.zip = parse_zip(node); });
  read("exclude", [&](const YamlNode& node) { spec.exclude = parse_exclude(node); });
  if (is_inline(mapping)) {
    errors.attempt([&] { spec.kernels = parse_inline(mapping); });
  } else {
    for (const std::string_view key : {"outputs", "reference"})
      read(key, [&](const YamlNode& node) {
        fail_at(
            node.place,
            fmt::format("'{}' belongs to 'workload: inline'{}", key,
                        key == "reference" ? "; of a plugin it is 'verify: {reference: …}'" : ""));
      });
    read("variants", [&](const YamlNode& node) { spec.variants = parse_variants(node); });
  }
  read("baseline", [&](const YamlNode& node) {
    spec.baseline = {read_text(node, "baseline"), node.place, false};
  });
  read("inputs", [&](const YamlNode& node) { spec.inputs = parse_inputs(node); });
  read("verify", [&](const YamlNode& node) { spec.verify = parse_verify(node); });
  errors.raise();
  return spec;
}

YamlNode inherit(const YamlNode& entry, const YamlNode& top) {
  YamlNode result = entry;
  for (const Key& each : workload_keys()) {
    const std::string_view key = each.name;
    const YamlNode* inherited = top.find(key);
    if (inherited == nullptr) continue;
    YamlNode* own = result.find(key);
    if (own == nullptr) {
      result.keys.push_back(top.keys[index_of(top, key)]);
      result.children.push_back(*inherited);
    } else if (key == "params" || key == "inputs" || key == "verify") {
      *own = merged(*own, *inherited);
    }
  }
  return result;
}

}  // namespace kernelbatch
