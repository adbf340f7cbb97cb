#include "core/job/keys/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/texture_choices.hpp"
#include "core/job/generator.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/keys/input_keys.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "core/job/parse.hpp"
#include "core/job/parse_workload.hpp"
#include "job_embedded.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::ordered_json;

Json reference_to(std::string_view definition) {
  return {{"$ref", "#/definitions/" + std::string(definition)}};
}

/// Removes Markdown's code marks, which editors do not interpret, and capitalizes the sentence.
std::string description_of(std::string_view help) {
  std::string text;
  for (const char c : help)
    if (c != '`') text += c;
  if (!help.empty() && help.front() >= 'a' && help.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

Json count_schema(const Rule& rule) {
  Json integer{{"type", "integer"}, {"minimum", rule.low}};
  if (rule.high != Rule::kMany) integer["maximum"] = rule.high;
  return {{"anyOf", {integer, reference_to("count_text")}}};
}

Json expression_schema(const Rule& rule) {
  if (rule.low == rule.high) return reference_to("expression");
  const Json integer{{"type", "integer"}, {"minimum", rule.low}, {"maximum", rule.high}};
  return {{"anyOf", {integer, {{"type", "string"}}}}};
}

Json rule_schema(const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::kScalar:
    case Rule::Kind::kBooleanOrText:
      return reference_to("scalar");
    case Rule::Kind::kText:
      return reference_to("text");
    case Rule::Kind::kScalars:
    case Rule::Kind::kOptionTexts:
      return reference_to("texts");
    case Rule::Kind::kScalarOrList:
      return reference_to("scalar_or_list");
    case Rule::Kind::kBoolean:
      return reference_to("boolean");
    case Rule::Kind::kCount:
      return count_schema(rule);
    case Rule::Kind::kMagnitude:
      return reference_to("magnitude");
    case Rule::Kind::kFraction:
      return reference_to("share");
    case Rule::Kind::kSeconds:
      return reference_to("duration");
    case Rule::Kind::kExpression:
      return expression_schema(rule);
    case Rule::Kind::kExtents:
      return reference_to("extents");
    case Rule::Kind::kChoice:
      return {{"enum", rule.choices()}};
    case Rule::Kind::kMapping:
      return reference_to(rule.schema);
    case Rule::Kind::kSchema:
      return Json::parse(rule.schema);
  }
  return {};
}

/// A number or a boolean as such, any other text as text.
Json default_schema(const KeyInfo& info) {
  const bool is_text =
      info.key.rule.kind == Rule::Kind::kText || info.key.rule.kind == Rule::Kind::kChoice;
  const Json value = Json::parse(info.otherwise, nullptr, false);
  return is_text || value.is_discarded() ? Json(info.otherwise) : value;
}

Json key_schema(const KeyInfo& info) {
  Json rule = rule_schema(info.key.rule);
  if (info.key.rule.kind == Rule::Kind::kMapping) return rule;  // its definition has the help
  Json schema{{"description", description_of(info.key.help)}};
  if (!info.otherwise.empty()) schema["default"] = default_schema(info);
  if (rule.contains("$ref"))
    schema["allOf"] = Json::array({std::move(rule)});
  else
    schema.update(rule);
  return schema;
}

class Schema {
 public:
  Schema() : definitions_(Json::parse(job_text::schema_parts)) {}

  Json build() {
    add_settings();
    add_sources();
    add_inline();
    add_workload_entry();
    Json schema = std::move(definitions_["job"]);
    definitions_.erase("job");
    Json properties = Json::object();
    for (const KeyInfo& info : infos(job_keys())) properties[info.key.name] = key_schema(info);
    schema["properties"] = std::move(properties);
    schema["definitions"] = std::move(definitions_);
    return schema;
  }

 private:
  /// A closed mapping. Rules between keys in schema_parts.json under that name are kept. The
  /// reference is valid until the next definition.
  Json& define(std::string_view name, std::string_view help, const std::vector<KeyInfo>& keys) {
    Json& schema = definitions_[std::string(name)];
    const Json more = schema.is_null() ? Json::object() : std::move(schema);
    Json required = Json::array(), properties = Json::object();
    for (const KeyInfo& info : keys) {
      if (info.key.is_required) required.push_back(info.key.name);
      properties[info.key.name] = key_schema(info);
      if (!info.nested.empty()) define(info.key.name, info.key.help, info.nested);
    }
    Json result = Json::object();
    if (!help.empty()) result["description"] = description_of(help);
    result["type"] = "object";
    result["additionalProperties"] = false;
    if (required.empty())
      result["minProperties"] = 1;
    else
      result["required"] = std::move(required);
    result.update(more);
    result["properties"] = std::move(properties);
    return definitions_[std::string(name)] = std::move(result);
  }

  void define_keys(std::string_view name, std::string_view help, std::span<const Key> keys) {
    define(name, help, infos(keys));
  }

  void add_settings() {
    define("measure", help_of("measure"), infos(fields<MeasureSpec>()));
    define("limits", help_of("limits"), infos(fields<LimitsSpec>()));
    define("output", help_of("output"), infos(fields<OutputSpec>()));
    define("verify", help_of("verify"), infos(fields<VerifySpec>()));
    define("tolerance", "", infos(fields<ToleranceSpec>()));
    define("reference_file", "", infos(fields<ReferenceFile>()));
    define("tune", help_of("tune"), infos(fields<TuneSpec>()));
    define_keys("slurm", help_of("slurm"), slurm_keys());
    define_keys("generator", "", generator_keys());
  }

  void add_sources() {
    for (const InputSource& source : input_sources()) {
      const std::string name(name_of(source.kind)), definition = "source_" + name;
      std::vector<Key> keys(source.keys.begin(), source.keys.end());
      keys.front().is_required = true;
      define_keys(definition, "", keys);
      const Json has{{"required", {name}}};
      Json& input = definitions_["input"]["then"];
      input["anyOf"].push_back(has);
      input["allOf"].push_back({{"if", has}, {"then", reference_to(definition)}});
    }
  }

  void add_inline() {
    define_keys("buffer", "", buffer_keys());
    define_keys("scratch_array", "", scratch_array_keys());
    define_keys("view", "", view_keys());
    define_keys("scalar_argument", "", scalar_argument_keys());
    define_keys("bytes_argument", "", bytes_argument_keys());
    define_keys("tensor_map_argument", "", tensor_map_argument_keys());
    define_keys("module", "a file instead of source", module_keys());
    define_keys("texture", "", texture_keys());
    define_keys("surface", "", surface_keys());
    define_keys("inline_reference_source", "", inline_reference_keys());
    definitions_["texture_address"] = {{"enum", names_of<TextureAddress>()}};
    for (const InlineKind& kind : inline_kinds()) {
      const std::string name(kind.name), definition = "kind_" + name;
      const Json is_kind{{"const", name}};
      Json& schema = define(definition, "", infos(kind.keys));
      schema["properties"]["kind"] = is_kind;
      add_kind("inline_variant", name, kind.kind == VariantKind::kUnfused);
      if (kind.may_be_step) add_kind("inline_step", name, kind.kind == VariantKind::kRaw);
    }
  }

  /// Adds a kind to those of `where`; `is_default`: also for mappings without `kind`.
  void add_kind(std::string_view where, const std::string& name, bool is_default) {
    Json condition{{"properties", {{"kind", {{"const", name}}}}}};
    if (!is_default) condition["required"] = {"kind"};
    Json& choice = definitions_[std::string(where)];
    choice["properties"]["kind"]["enum"].push_back(name);
    choice["allOf"].push_back(
        {{"if", std::move(condition)}, {"then", reference_to("kind_" + name)}});
  }

  void add_workload_entry() {
    Json properties = Json::object();
    for (const Key& key : workload_keys()) {
      const Json same{{"$ref", "#/properties/" + std::string(key.name)}};
      properties[key.name] = {{"allOf", Json::array({same})}};
    }
    define("workload_entry", "one workload; missing keys are taken from the top of the job", {});
    definitions_["workload_entry"]["properties"] = std::move(properties);
  }

  static std::string_view help_of(std::string_view key) {
    static const std::vector<Key> keys = job_keys();
    return std::ranges::find(keys, key, &Key::name)->help;
  }

  Json definitions_;
};

}  // namespace

std::string job_schema() { return Schema().build().dump(2) + "\n"; }

}  // namespace kernelbatch
