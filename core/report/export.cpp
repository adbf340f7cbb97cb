#include "core/report/export.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/flat_rows.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string csv_of(const FlatRows& table) {
  std::string text;
  const auto add_line = [&](const auto& cells, auto to_cell) {
    for (std::size_t k = 0; k < cells.size(); ++k)
      text += (k == 0 ? "" : ",") + csv_quoted(to_cell(cells[k]));
    text += "\r\n";
  };
  add_line(table.names, [](const std::string& name) { return name; });
  for (const auto& row : table.rows)
    add_line(row, [](const std::optional<Value>& cell) {
      return cell ? to_text(*cell) : std::string();
    });
  return text;
}

Json node_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real))
    return nullptr;
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

Json node_of(const NamedValues& values) {
  Json node = Json::object();
  for (const auto& [name, value] : values) node[name] = node_of(value);
  return node;
}

template <class Record>
Json nodes_of(const std::vector<Record>& records, schema::Columns<Record> columns) {
  Json nodes = Json::array();
  for (const Record& record : records) {
    Json node = Json::object();
    for (const auto& column : columns)
      if (const auto cell = present(column.get(record)))
        node[std::string(column.info.name)] = node_of(*cell);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string dump(const Json& node) {
  return node.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string_view invalidity_of(Status status) {
  switch (status) {
    case Status::kOk:
      return "correct";
    case Status::kVerificationFailed:
    case Status::kSuspect:
    case Status::kUnsafe:
      return "correctness";
    case Status::kTimedOut:
      return "timeout";
    case Status::kCompileFailed:
      return "compile";
    case Status::kSkipped:
      return "constraints";
    default:
      return "runtime";
  }
}

Json t4_times(const ResultRecord& record) {
  constexpr double kMilli = 1e3;
  Json times;
  const auto add = [&](const char* name, double seconds) {
    if (!std::isnan(seconds)) times[name] = seconds * kMilli;
  };
  add("compilation_time", record.compile_time);
  add("framework", record.load_time);
  times["search_algorithm"] = 0.0;
  Json runtimes = Json::array();
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && std::isfinite(sample.time))
      runtimes.push_back(sample.time * kMilli);
  times["runtimes"] = std::move(runtimes);
  return times;
}

Json t4_measurements(const ResultRecord& record) {
  Json measurements = Json::array();
  const auto add = [&](const char* name, double value, const char* unit) {
    if (std::isfinite(value))
      measurements.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  };
  add("time", record.ranked_time() * 1e3, "ms");
  add("bandwidth", record.bandwidth() / 1e9, "GB/s");
  add("flop_rate", record.flop_rate() / 1e9, "GFLOP/s");
  add("energy", record.energy, "J");
  add("power", record.power_mean, "W");
  if (record.input_sets > 0 && !record.is_reference())
    add("input_sets", static_cast<double>(record.input_sets), "");
  return measurements;
}

/// The dtype used in .npy files, which have no bfloat16.
const DTypeInfo& npy_dtype(DType dtype) {
  return info(info(dtype).npy_code.empty() ? info(dtype).stored : dtype);
}

std::vector<std::byte> widen(DType dtype, std::span<const std::byte> bytes) {
  std::vector<std::byte> wide;
  dispatch(dtype, [&](auto element) {
    if constexpr (ReducedFloat<decltype(element)>)
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(element)) {
        std::memcpy(&element, bytes.data() + at, sizeof(element));
        const auto each = std::bit_cast<std::array<std::byte, sizeof(float)>>(to_float(element));
        wide.insert(wide.end(), each.begin(), each.end());
      }
  });
  return wide;
}

}  // namespace

std::vector<std::string> csv_tables() {
  return {"cases", "samples", "launches", "kernels", "checks", "findings", "counters"};
}

std::string to_csv(const ResultFile& file, std::string_view table) {
  if (table == "cases") return csv_of(flat_rows(file));
  if (table == "samples")
    return csv_of(child_rows(file, &ResultRecord::samples, schema::samples()));
  if (table == "launches")
    return csv_of(child_rows(file, &ResultRecord::launches, schema::launches()));
  if (table == "kernels")
    return csv_of(child_rows(file, &ResultRecord::kernels, schema::kernels()));
  if (table == "findings")
    return csv_of(child_rows(file, &ResultRecord::findings, schema::findings()));
  if (table == "counters")
    return csv_of(child_rows(file, &ResultRecord::counters, schema::counters()));
  if (table == "checks") return csv_of(child_rows(file, &ResultRecord::outputs, schema::checks()));
  throw SpecError(fmt::format("unknown table '{}'{}", table, suggestion(table, csv_tables())));
}

std::string to_json(const ResultFile& file) {
  Json node{{"kernelbatch_schema", schema::kVersion}, {"file", file.path.filename().string()}};
  node["jobs"] = nodes_of(file.jobs, schema::jobs());
  Json environments = Json::array();
  for (const EnvironmentRecord& environment : file.environments)
    environments.push_back(node_of(environment.values));
  node["environments"] = std::move(environments);
  node["calibration"] = nodes_of(file.calibration, schema::calibrations());
  Json results = Json::array();
  for (std::size_t k = 0; k < file.results.size(); ++k) {
    Json result = Json::parse(to_json(file.results[k], Samples::kInclude));
    result["environment"] = file.environment_of[k];
    result["job"] = file.job_of[k];
    results.push_back(std::move(result));
  }
  node["results"] = std::move(results);
  const VerifiedCount count = count_verified(file.results);
  node["timed"] = count.timed;
  node["verified"] = count.verified;
  return dump(node);
}

std::string to_t4(const ResultFile& file) {
  Json results = Json::array();
  for (const ResultRecord& record : file.results) {
    Json result;
    if (record.start_ns >= 0)
      result["timestamp"] =
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                      fmt::gmtime(static_cast<std::time_t>(record.start_ns / 1'000'000'000)));
    Json configuration{{"workload", record.workload}, {"variant", record.variant}};
    for (const auto& [name, value] : record.params) configuration[name] = node_of(value);
    result["configuration"] = std::move(configuration);
    result["objectives"] = {"time"};
    result["times"] = t4_times(record);
    result["invalidity"] = invalidity_of(record.status);
    result["correctness"] = record.status == Status::kOk ? 1 : 0;
    result["measurements"] = t4_measurements(record);
    results.push_back(std::move(result));
  }
  return dump(Json{{"schema_version", "1.0.0"}, {"results", std::move(results)}});
}

std::vector<std::byte> to_npy(const StoredOutput& output) {
  static_assert(std::endian::native == std::endian::little, "the header declares little-endian");
  std::string shape;
  for (const std::int64_t extent : output.shape) shape += fmt::format("{}, ", extent);
  const DTypeInfo& type = npy_dtype(output.dtype);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   type.size == 1 ? '|' : '<', type.npy_code, shape);
  // Magic, version, length and header together must be a multiple of 64 bytes.
  constexpr std::size_t kPrefix = 10;
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';
  std::vector<std::byte> bytes;
  const auto add = [&](std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  };
  using namespace std::string_view_literals;
  add("\x93NUMPY\x01\x00"sv);
  bytes.push_back(static_cast<std::byte>(header.size() & 0xff));
  bytes.push_back(static_cast<std::byte>(header.size() >> 8));
  add(header);
  const bool is_wider = type.dtype != output.dtype;
  const std::vector<std::byte> wide =
      is_wider ? widen(output.dtype, output.bytes) : std::vector<std::byte>{};
  const std::vector<std::byte>& elements = is_wider ? wide : output.bytes;
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return bytes;
}

}  // namespace kernelbatch
