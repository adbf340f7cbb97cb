#include "core/workload/describe.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::json;

Json value_to_json(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Value value_from_json(const Json& json, ParameterType type) {
  switch (type) {
    case ParameterType::kInteger:
      return json.get<std::int64_t>();
    case ParameterType::kReal:
      return json.get<double>();
    case ParameterType::kBoolean:
      return json.get<bool>();
    case ParameterType::kText:
      break;
  }
  return json.get<std::string>();
}

Json optional_to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
std::optional<double> optional_from_json(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

std::string to_json(const WorkloadInfo& info) {
  Json json{{"name", info.name}, {"version", info.version}, {"summary", info.summary}};
  json["parameters"] = json["inputs"] = json["outputs"] = json["variants"] = Json::array();
  for (const ParameterDeclaration& p : info.parameters)
    json["parameters"].push_back({{"name", p.name},
                                  {"type", static_cast<int>(p.type)},
                                  {"default", value_to_json(p.default_value)},
                                  {"help", p.help},
                                  {"minimum", optional_to_json(p.minimum)},
                                  {"maximum", optional_to_json(p.maximum)},
                                  {"choices", p.choices},
                                  {"tuning", p.is_tuning}});
  for (const InputDeclaration& input : info.inputs)
    json["inputs"].push_back({{"name", input.name}, {"help", input.help}});
  for (const auto& [name, help] : info.outputs)
    json["outputs"].push_back({{"name", name}, {"help", help}});
  for (const VariantDeclaration& variant : info.variants)
    json["variants"].push_back(
        {{"name", variant.name}, {"kind", static_cast<int>(variant.kind)}, {"help", variant.help}});
  // A plugin's texts are somebody else's: what is not UTF-8 in them is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

WorkloadInfo workload_info_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    WorkloadInfo info;
    info.name = json.at("name");
    info.version = json.at("version");
    info.summary = json.at("summary");
    for (const Json& p : json.at("parameters")) {
      ParameterDeclaration declaration;
      declaration.name = p.at("name");
      declaration.type = static_cast<ParameterType>(p.at("type").get<int>());
      declaration.default_value = value_from_json(p.at("default"), declaration.type);
      declaration.help = p.at("help");
      declaration.minimum = optional_from_json(p.at("minimum"));
      declaration.maximum = optional_from_json(p.at("maximum"));
      declaration.choices = p.at("choices").get<std::vector<std::string>>();
      declaration.is_tuning = p.at("tuning");
      info.parameters.push_back(std::move(declaration));
    }
    for (const Json& input : json.at("inputs"))
      info.inputs.push_back({input.at("name"), input.at("help")});
    for (const Json& output : json.at("outputs"))
      info.outputs.emplace_back(output.at("name"), output.at("help"));
    for (const Json& variant : json.at("variants"))
      info.variants.push_back({variant.at("name"),
                               static_cast<VariantKind>(variant.at("kind").get<int>()),
                               variant.at("help"), nullptr});
    return info;
  } catch (const Json::exception& error) {
    throw RunError(fmt::format("a workload's description cannot be read: {}", error.what()));
  }
}

}  // namespace kernelbatch
