#include "core/report/history/stored_points.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/text.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch::history {
namespace {

constexpr std::string_view kReadColumns[] = {
    "workload",      "kind",           "device",         "status",        "reason",
    "verified",      "kernel_hash",    "params_json",    "start_time",    "cold_median",
    "cold_ci95_low", "cold_ci95_high", "hot_median",     "hot_ci95_low",  "hot_ci95_high",
    "host_median",   "host_ci95_low",  "host_ci95_high", "checked_calls", "input_sets"};

std::string text_of(const EnvironmentRecord* environment, std::string_view name) {
  if (environment == nullptr) return "";
  const Value* value = find_value(environment->values, name);
  return value == nullptr ? "" : to_text(*value);
}

/// The device's name, extended to distinguish kinds that share it.
std::string device_kind(const std::string& device, const EnvironmentRecord* environment) {
  if (device == "host") {
    const std::string cpu = text_of(environment, "cpu");
    return cpu.empty() ? device : "host " + cpu;
  }
  if (class_of_device(device) == DeviceClass::kHost) return device;
  const std::string profile = text_of(environment, "mig_profile");
  if (profile.empty() || device.find(profile) != std::string::npos) return device;
  return device + " MIG " + profile;
}

/// Key of parameters, independent of their order.
std::string params_key(NamedValues params) {
  std::ranges::sort(params, {}, &NamedValues::value_type::first);
  std::string key;
  for (const auto& [parameter, value] : params) {
    append_sized(key, parameter);
    append_sized(key, to_text(value));
  }
  return key;
}

std::string key_without_ordinal(const SeriesName& name, const std::string& params) {
  std::string key;
  append_sized(key, name.workload);
  append_sized(key, name.variant);
  append_sized(key, name.device);
  return key + params;
}

std::string with_ordinal(std::string key, std::int64_t ordinal) {
  // SQLite texts may contain zero bytes, but its text functions stop there.
  return hash_hex(key + "#" + std::to_string(ordinal));
}

/// The variants of a case are consecutive and have equal parameters.
class ParamsTexts {
 public:
  void set(const NamedValues& params) {
    if (!json.empty() && params == params_) return;
    params_ = params;
    json = to_json(params);
    key = params_key(params);
  }
  std::string json, key;

 private:
  NamedValues params_;
};

}  // namespace

PlaceContent read_place(const std::filesystem::path& path) {
  ResultFile file = read_results(path, Parts(Samples::kOmit, false, kReadColumns));
  PlaceContent content;
  content.problems = std::move(file.problems);
  for (const EnvironmentRecord& environment : file.environments)
    content.environments.push_back(to_json(environment.values));
  std::map<std::string, std::int64_t> seen;
  ParamsTexts params;
  for (std::size_t k = 0; k < file.results.size(); ++k) {
    ResultRecord& record = file.results[k];
    if (record.is_reference()) continue;
    const std::int64_t at = file.environment_of[k], job = file.job_of[k];
    const EnvironmentRecord* environment =
        at < 0 ? nullptr : &file.environments[static_cast<std::size_t>(at)];
    params.set(record.params);
    StoredPoint point;
    point.name = {record.workload, record.variant, params.json,
                  device_kind(record.device, environment), 0};
    std::string key = key_without_ordinal(point.name, params.key);
    point.name.ordinal = seen[key]++;
    point.key = with_ordinal(std::move(key), point.name.ordinal);
    point.environment = at;
    if (job >= 0) point.job = file.jobs[static_cast<std::size_t>(job)].name;
    point.case_id = std::move(record.case_id);
    point.kernel_hash = std::move(record.kernel_hash);
    point.reason = std::move(record.reason);
    point.status = record.status;
    point.verification = record.verification();
    point.kind = record.ranked_kind();
    point.start_ns = record.start_ns;
    point.median = record.ranked_time();
    point.low = record.ranked_summary().ci95_low;
    point.high = record.ranked_summary().ci95_high;
    content.points.push_back(std::move(point));
  }
  return content;
}

}  // namespace kernelbatch::history
