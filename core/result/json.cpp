#include "core/result/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::ordered_json;
using schema::Column;
using schema::Columns;
using schema::ColumnType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string name_of_special(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double special_named(const std::string& name) {
  if (name == "inf") return kInfinity;
  if (name == "-inf") return -kInfinity;
  if (name == "nan") return kMissing;
  throw StoreError(fmt::format("'{}' is not a number", name));
}

/// HDF5 texts end at a NUL, so they must not contain one.
std::string without_nul(const std::string& text) {
  if (text.find('\0') == std::string::npos) return text;
  std::string result;
  for (const char c : text) result += c == '\0' ? std::string("\u2400") : std::string(1, c);
  return result;
}

Json to_node(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return without_nul(*text);
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? Json(*real) : Json(name_of_special(*real));
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

Value to_value(const Json& node) {
  if (node.is_boolean()) return node.get<bool>();
  if (node.is_number_float()) return node.get<double>();
  if (node.is_number_integer()) return node.get<std::int64_t>();
  if (node.is_string()) return node.get<std::string>();
  throw StoreError(fmt::format("'{}' is not a value", node.dump()));
}

template <class Record>
Json to_node(const Record& record, Columns<Record> columns) {
  Json node = Json::object();
  auto& object = node.get_ref<Json::object_t&>();
  object.reserve(columns.size());
  for (const Column<Record>& column : columns) {
    // Derived numbers follow from the others by a division, derived flags do not.
    if (column.set == nullptr && column.info.type != ColumnType::kFlag) continue;
    const Value value = column.get(record);
    const auto* real = std::get_if<double>(&value);
    // Appending is safe and not quadratic: column names are unique.
    if (real == nullptr || !std::isnan(*real))
      object.Container::emplace_back(std::string(column.info.name), to_node(value));
  }
  return node;
}

template <class Record>
void from_node(const Json& node, Columns<Record> columns, Record& record) {
  const auto& object = node.get_ref<const Json::object_t&>();
  // Keys are in column order unless another version wrote them.
  auto hint = object.begin();
  for (const Column<Record>& column : columns) {
    if (column.set == nullptr) continue;
    const auto is_it = [&](const auto& entry) { return entry.first == column.info.name; };
    auto found = hint != object.end() && is_it(*hint) ? hint : std::ranges::find_if(object, is_it);
    if (found == object.end()) continue;
    Value value = to_value(found->second);
    if (column.info.type == ColumnType::kReal && std::holds_alternative<std::string>(value))
      value = special_named(std::get<std::string>(value));
    column.set(record, value);
    hint = found + 1;
  }
}

template <class Record>
Json to_nodes(const std::vector<Record>& records, Columns<Record> columns) {
  Json node = Json::array();
  for (const Record& record : records) node.push_back(to_node(record, columns));
  return node;
}

template <class Record>
void from_nodes(const Json& node, const char* key, Columns<Record> columns,
                std::vector<Record>& records) {
  const auto found = node.find(key);
  if (found == node.end()) return;
  for (const Json& entry : *found) from_node(entry, columns, records.emplace_back());
}

Json node_of(const NamedValues& values) {
  Json node = Json::object();
  for (const auto& [name, value] : values) {
    const auto* real = std::get_if<double>(&value);
    // A text may be "inf" here, so a real that JSON lacks is marked.
    node[name] = real != nullptr && !std::isfinite(*real) ? Json{{"real", name_of_special(*real)}}
                                                          : to_node(value);
  }
  return node;
}

NamedValues values_of(const Json& node) {
  NamedValues values;
  for (const auto& [name, entry] : node.items())
    values.emplace_back(name, entry.is_object()
                                  ? Value(special_named(entry.at("real").get<std::string>()))
                                  : to_value(entry));
  return values;
}

Json node_of(const ResultRecord& record, Samples samples) {
  Json node = to_node(record, schema::results());
  node["params"] = node_of(record.params);
  node["outputs"] = to_nodes(record.outputs, schema::checks());
  node["launches"] = to_nodes(record.launches, schema::launches());
  node["kernels"] = to_nodes(record.kernels, schema::kernels());
  if (!record.findings.empty()) node["findings"] = to_nodes(record.findings, schema::findings());
  if (!record.counters.empty()) node["counters"] = to_nodes(record.counters, schema::counters());
  if (samples == Samples::kInclude) node["samples"] = to_nodes(record.samples, schema::samples());
  return node;
}

ResultRecord result_of(const Json& node) {
  ResultRecord record;
  from_node(node, schema::results(), record);
  if (node.contains("params")) record.params = values_of(node["params"]);
  from_nodes(node, "outputs", schema::checks(), record.outputs);
  from_nodes(node, "launches", schema::launches(), record.launches);
  from_nodes(node, "kernels", schema::kernels(), record.kernels);
  from_nodes(node, "findings", schema::findings(), record.findings);
  from_nodes(node, "counters", schema::counters(), record.counters);
  from_nodes(node, "samples", schema::samples(), record.samples);
  return record;
}

CaseRecord case_of(const Json& node) {
  CaseRecord record;
  record.case_id = node.at("case_id").get<std::string>();
  for (const Json& entry : node.at("results")) record.results.push_back(result_of(entry));
  record.environment.values = values_of(node.at("environment"));
  from_node(node.at("job"), schema::jobs(), record.job);
  from_nodes(node, "calibration", schema::calibrations(), record.calibration);
  return record;
}

std::string dump(const Json& node) {
  return node.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Function>
auto parse(std::string_view text, Function convert) {
  constexpr std::size_t kDeepest = 64;
  if (nests_deeper(text, kDeepest))
    throw StoreError(
        fmt::format("not a record in JSON: it nests more than {} levels deep", kDeepest));
  try {
    return convert(Json::parse(text));
  } catch (const Json::exception& error) {
    throw StoreError(fmt::format("not a record in JSON: {}", error.what()));
  }
}

}  // namespace

std::string to_json(const ResultRecord& record, Samples samples) {
  return dump(node_of(record, samples));
}

std::string to_json(const CaseRecord& record, Samples samples) {
  Json node{{"case_id", record.case_id}};
  Json results = Json::array();
  for (const ResultRecord& result : record.results) results.push_back(node_of(result, samples));
  node["results"] = std::move(results);
  node["environment"] = node_of(record.environment.values);
  node["job"] = to_node(record.job, schema::jobs());
  node["calibration"] = to_nodes(record.calibration, schema::calibrations());
  return dump(node);
}

std::string to_json(const NamedValues& values) { return dump(node_of(values)); }

ResultRecord result_from_json(std::string_view text) { return parse(text, result_of); }
CaseRecord case_from_json(std::string_view text) { return parse(text, case_of); }
NamedValues values_from_json(std::string_view text) { return parse(text, values_of); }

}  // namespace kernelbatch
