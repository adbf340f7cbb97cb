#include "core/case/case_request.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::json;

Json scalar_to_json(const Scalar& scalar) {
  return {{"text", scalar.text},
          {"quoted", scalar.quoted},
          {"file", scalar.place.file},
          {"line", scalar.place.line},
          {"column", scalar.place.column}};
}

Scalar scalar_from_json(const Json& json) {
  return {
      json.at("text"), {json.at("file"), json.at("line"), json.at("column")}, json.at("quoted")};
}

template <Choice E>
E choice_from_json(const Json& json) {
  const auto value = parse_choice<E>(json.get<std::string>());
  if (!value) throw RunError("a message between supervisor and worker has an unknown word");
  return *value;
}

Json measure_to_json(const MeasureSpec& m) {
  return {{"preset", name_of(m.preset)},
          {"warmup", m.warmup},
          {"flush_l2", m.flush_l2},
          {"hot", m.hot},
          {"noise", m.noise},
          {"min_samples", m.min_samples},
          {"max_samples", m.max_samples},
          {"timeout_s", m.timeout_s},
          {"interleave", m.interleave},
          {"telemetry", m.telemetry}};
}

MeasureSpec measure_from_json(const Json& json) {
  MeasureSpec m;
  m.preset = choice_from_json<Preset>(json.at("preset"));
  m.warmup = json.at("warmup");
  m.flush_l2 = json.at("flush_l2");
  m.hot = json.at("hot");
  m.noise = json.at("noise");
  m.min_samples = json.at("min_samples");
  m.max_samples = json.at("max_samples");
  m.timeout_s = json.at("timeout_s");
  m.interleave = json.at("interleave");
  m.telemetry = json.at("telemetry");
  return m;
}

Json place_to_json(const SourcePlace& place) {
  return Json::array({place.file, place.line, place.column});
}

SourcePlace place_from_json(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

Json tolerance_to_json(const ToleranceSpec& tolerance) {
  Json json{{"place", place_to_json(tolerance.place)}};
  if (tolerance.mode) json["mode"] = name_of(*tolerance.mode);
  if (tolerance.rtol) json["rtol"] = *tolerance.rtol;
  if (tolerance.atol) json["atol"] = *tolerance.atol;
  if (tolerance.max_ulp) json["max_ulp"] = *tolerance.max_ulp;
  return json;
}

ToleranceSpec tolerance_from_json(const Json& json) {
  ToleranceSpec tolerance;
  tolerance.place = place_from_json(json.at("place"));
  if (json.contains("mode")) tolerance.mode = choice_from_json<CompareMode>(json["mode"]);
  if (json.contains("rtol")) tolerance.rtol = json["rtol"].get<double>();
  if (json.contains("atol")) tolerance.atol = json["atol"].get<double>();
  if (json.contains("max_ulp")) tolerance.max_ulp = json["max_ulp"].get<double>();
  return tolerance;
}

Json node_to_json(const YamlNode& node) {
  Json json{{"kind", static_cast<int>(node.kind)}, {"place", place_to_json(node.place)}};
  if (node.is_scalar()) {
    json["text"] = node.text;
    json["quoted"] = node.quoted;
  }
  json["children"] = json["keys"] = Json::array();
  for (const YamlNode& child : node.children) json["children"].push_back(node_to_json(child));
  for (const YamlKey& key : node.keys)
    json["keys"].push_back({{"text", key.text}, {"place", place_to_json(key.place)}});
  return json;
}

YamlNode node_from_json(const Json& json) {
  YamlNode node;
  const int kind = json.at("kind");
  if (kind < 0 || kind > static_cast<int>(YamlNode::Kind::kMapping))
    throw RunError(
        fmt::format("a message between supervisor and worker has a node of kind {}", kind));
  node.kind = static_cast<YamlNode::Kind>(kind);
  node.place = place_from_json(json.at("place"));
  if (node.is_scalar()) {
    node.text = json.at("text");
    node.quoted = json.at("quoted");
  }
  for (const Json& child : json.at("children")) node.children.push_back(node_from_json(child));
  for (const Json& key : json.at("keys"))
    node.keys.push_back({key.at("text"), place_from_json(key.at("place"))});
  if (node.keys.size() != (node.is_mapping() ? node.children.size() : 0))
    throw RunError("a message between supervisor and worker has a mapping without its keys");
  return node;
}

Json kernels_to_json(const InlineSpec& spec) {
  Json json{{"variants", Json::array()},
            {"outputs", Json::array()},
            {"reference", node_to_json(spec.reference)}};
  for (const InlineVariant& variant : spec.variants)
    json["variants"].push_back({{"name", variant.name},
                                {"kind", name_of(variant.kind)},
                                {"options", node_to_json(variant.options)},
                                {"place", place_to_json(variant.place)}});
  for (const auto& [name, node] : spec.outputs)
    json["outputs"].push_back({{"name", name}, {"node", node_to_json(node)}});
  return json;
}

InlineSpec kernels_from_json(const Json& json) {
  InlineSpec spec;
  for (const Json& each : json.at("variants"))
    spec.variants.push_back({each.at("name"), choice_from_json<VariantKind>(each.at("kind")),
                             node_from_json(each.at("options")),
                             place_from_json(each.at("place"))});
  for (const Json& each : json.at("outputs"))
    spec.outputs.emplace_back(each.at("name"), node_from_json(each.at("node")));
  spec.reference = node_from_json(json.at("reference"));
  return spec;
}

template <class Read>
auto read_json(std::string_view text, const Read& read) {
  // A job's nodes nest at most 64 deep, each of them two levels of JSON.
  constexpr std::size_t kDeepest = 200;
  if (nests_deeper(text, kDeepest))
    throw RunError(fmt::format(
        "a message between supervisor and worker nests more than {} levels deep", kDeepest));
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw RunError(
        fmt::format("a message between supervisor and worker cannot be read: {}", error.what()));
  }
}

}  // namespace

std::string to_json(const CaseRequest& request) {
  Json json{{"case_id", request.case_id},
            {"plugin", request.plugin},
            {"device", request.device},
            {"params", to_json(request.params)},
            {"variants", request.variants},
            {"reference", request.reference},
            {"tolerance", tolerance_to_json(request.tolerance)},
            {"repeat", request.repeat},
            {"measure", measure_to_json(request.measure)},
            {"memory_limit", request.memory_limit},
            {"arrays", name_of(request.arrays)},
            {"job_folder", request.job_folder},
            {"spill_folder", request.spill_folder},
            {"attempt", request.attempt},
            {"calibrates", request.calibrates},
            {"is_profile", request.is_profile}};
  json["inputs"] = json["output_tolerances"] = Json::array();
  for (const InputSpec& input : request.inputs) {
    Json options = Json::array();
    for (const auto& [key, value] : input.options)
      options.push_back({{"key", key}, {"value", scalar_to_json(value)}});
    json["inputs"].push_back({{"name", input.name},
                              {"kind", name_of(input.kind)},
                              {"place", scalar_to_json({"", input.place, false})},
                              {"value", scalar_to_json(input.value)},
                              {"options", options}});
  }
  if (request.reference_file)
    json["reference_file"] = {{"file", scalar_to_json(request.reference_file->file)},
                              {"dataset", scalar_to_json(request.reference_file->dataset)}};
  if (request.kernels) json["kernels"] = kernels_to_json(*request.kernels);
  for (const auto& [output, tolerance] : request.output_tolerances)
    json["output_tolerances"].push_back(
        {{"output", output}, {"tolerance", tolerance_to_json(tolerance)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CaseRequest case_request_from_json(std::string_view text) {
  return read_json(text, [](const Json& json) {
    CaseRequest request;
    request.case_id = json.at("case_id");
    request.plugin = json.at("plugin");
    request.device = json.at("device");
    request.params = values_from_json(json.at("params").get<std::string>());
    if (json.contains("kernels")) request.kernels = kernels_from_json(json["kernels"]);
    request.variants = json.at("variants").get<std::vector<std::string>>();
    request.reference = json.at("reference");
    if (json.contains("reference_file"))
      request.reference_file = {scalar_from_json(json["reference_file"].at("file")),
                                scalar_from_json(json["reference_file"].at("dataset"))};
    request.tolerance = tolerance_from_json(json.at("tolerance"));
    request.repeat = json.at("repeat");
    request.measure = measure_from_json(json.at("measure"));
    request.memory_limit = json.at("memory_limit");
    request.arrays = choice_from_json<KeptArrays>(json.at("arrays"));
    request.job_folder = json.at("job_folder");
    request.spill_folder = json.at("spill_folder");
    request.attempt = json.at("attempt");
    request.calibrates = json.at("calibrates");
    request.is_profile = json.at("is_profile");
    for (const Json& input : json.at("inputs")) {
      InputSpec spec;
      spec.name = input.at("name");
      spec.kind = choice_from_json<InputKind>(input.at("kind"));
      spec.value = scalar_from_json(input.at("value"));
      spec.place = scalar_from_json(input.at("place")).place;
      for (const Json& option : input.at("options"))
        spec.options.emplace_back(option.at("key"), scalar_from_json(option.at("value")));
      request.inputs.push_back(std::move(spec));
    }
    for (const Json& each : json.at("output_tolerances"))
      request.output_tolerances.emplace_back(each.at("output"),
                                             tolerance_from_json(each.at("tolerance")));
    return request;
  });
}

std::string to_json(const WorkerMessage& message) {
  Json json{{"event", message.event},
            {"variant", message.variant},
            {"phase", message.phase},
            {"text", message.text},
            {"exit_code", message.exit_code},
            {"status", message.status},
            {"is_retryable", message.is_retryable},
            {"is_sick", message.is_sick}};
  json["outputs"] = Json::array();
  for (const SpilledOutput& output : message.outputs)
    json["outputs"].push_back({{"output", output.output}, {"stride", output.stride}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

WorkerMessage worker_message_from_json(std::string_view text) {
  return read_json(text, [](const Json& json) {
    WorkerMessage message;
    message.event = json.at("event");
    message.variant = json.at("variant");
    message.phase = json.at("phase");
    message.text = json.at("text");
    message.exit_code = json.at("exit_code");
    message.status = json.at("status");
    message.is_retryable = json.value("is_retryable", false);
    message.is_sick = json.at("is_sick");
    for (const Json& output : json.at("outputs"))
      message.outputs.push_back({output.at("output"), output.at("stride")});
    return message;
  });
}

}  // namespace kernelbatch
