#include "core/report/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/statistics.hpp"

namespace kernelbatch {
namespace {

constexpr double kFarAway = 3.5;
constexpr double kLeastDistance = 0.005;
/// Half of the 95 % and 99 % intervals of a normal distribution in standard deviations.
constexpr double kHalf95 = 1.959963984540054, kHalf99 = 2.5758293035489004;
/// For a normal sample: standard deviation over median absolute deviation, and standard deviation
/// of the part within three standard deviations over that of all.
constexpr double kOfDeviation = 1.4826, kFarOther = 3, kCutDeviation = 0.9866;
/// Share of fleets of identical devices in which one is reported as an outlier.
constexpr double kFalse = 0.01;

struct PartTimes {
  std::vector<double> logs, variances;
};

struct Gathered {
  std::string node;
  std::int64_t latest = -1;
  std::map<std::size_t, PartTimes> of_part;
  std::vector<std::string> failures;
};

/// Kinds and devices sorted by name; parts in order of appearance.
struct GatheredKind {
  std::vector<std::string> parts;
  std::map<std::string, Gathered> devices;

  std::size_t part(const std::string& name) {
    const auto found = std::ranges::find(parts, name);
    if (found != parts.end()) return static_cast<std::size_t>(found - parts.begin());
    parts.push_back(name);
    return parts.size() - 1;
  }
};

std::string value_of(const EnvironmentRecord& environment, std::string_view name) {
  for (const auto& [key, value] : environment.values)
    if (key == name) return to_text(value);
  return "";
}

void add_time(PartTimes& times, const ResultRecord& record) {
  const Summary& summary = record.ranked_summary();
  const bool has_interval = summary.ci95_low > 0 && summary.ci95_high >= summary.ci95_low;
  times.logs.push_back(std::log(record.ranked_time()));
  times.variances.push_back(
      has_interval ? std::pow(std::log(summary.ci95_high / summary.ci95_low) / 2 / kHalf95, 2) : 0);
}

void gather(std::map<std::string, GatheredKind>& kinds, const ResultRecord& record,
            const EnvironmentRecord& environment) {
  const bool on_host = record.device_class() == DeviceClass::kHost;
  const std::string slice = on_host ? "" : value_of(environment, "mig_profile");
  GatheredKind& kind = kinds[slice.empty() ? record.device : record.device + " " + slice];
  const std::string node = value_of(environment, "host");
  const std::string uuid = on_host ? "" : value_of(environment, "gpu_uuid");
  Gathered& device = kind.devices[uuid.empty() ? node : uuid];
  if (record.start_ns > device.latest) {
    device.latest = record.start_ns;
    device.node = node;
  }
  const std::string part =
      fmt::format("{} {} {}", record.workload, to_text(record.params), record.variant);
  if (record.status != Status::kOk && record.status != Status::kSkipped)
    device.failures.push_back(
        fmt::format("{}: {}: {}", part, to_text(record.status), record.reason));
  const double time = record.ranked_time();
  if (time > 0 && std::isfinite(time)) add_time(device.of_part[kind.part(part)], record);
}

FleetValue value_of(const PartTimes& times) {
  const auto count = static_cast<double>(times.logs.size());
  FleetValue value;
  const double mean = std::accumulate(times.logs.begin(), times.logs.end(), 0.0) / count;
  value.time = std::exp(mean);
  // Further runs of a device are not independent, so the interval of one run is kept.
  value.uncertainty =
      std::sqrt(std::accumulate(times.variances.begin(), times.variances.end(), 0.0) / count);
  return value;
}

/// Mean and scatter of the other devices.
struct Others {
  double centre = 0, scatter = 0, count = 0;
};

/// Outliers among them are left out. `logs` in any order.
Others others_of(const std::vector<double>& logs) {
  const double middle = median_of(logs);
  std::vector<double> distances;
  for (const double log : logs) distances.push_back(std::abs(log - middle));
  const double far = kFarOther * kOfDeviation * median_of(distances);
  Others others;
  double squares = 0;
  for (const double log : logs)
    if (std::abs(log - middle) <= far) {
      others.centre += log;
      squares += log * log;
      ++others.count;
    }
  others.centre /= others.count;
  if (others.count > 1)
    others.scatter =
        std::sqrt(std::max(0.0, squares / others.count - others.centre * others.centre) *
                  others.count / (others.count - 1)) /
        kCutDeviation;
  return others;
}

/// Judges a device against the others that have the part; `values` is the number of judged values
/// of the kind.
void judge_value(FleetValue& value, const std::vector<const FleetValue*>& beside, double values) {
  if (beside.empty()) return;
  std::vector<double> logs, uncertainties;
  for (const FleetValue* other : beside) {
    logs.push_back(std::log(other->time));
    uncertainties.push_back(other->uncertainty);
  }
  Others others = others_of(logs);
  others.scatter = std::max(others.scatter, median_of(uncertainties));
  const double distance = std::log(value.time) - others.centre;
  const double of_centre = others.scatter / std::sqrt(others.count);
  const double error = std::hypot(value.uncertainty, of_centre);
  value.distance = std::expm1(distance);
  value.low = std::expm1(distance - kHalf99 * error);
  value.high = std::expm1(distance + kHalf99 * error);
  const double spread = std::hypot(others.scatter, of_centre);
  value.z = spread > 0 ? distance / spread : kMissing;
  if (beside.size() + 1 < kFewestDevices || others.count < 2) return;
  const boost::math::students_t student(others.count - 1);
  const double far = std::max(
      kFarAway, boost::math::quantile(boost::math::complement(student, kFalse / 2 / values)));
  const bool is_apart = value.low > 0 || value.high < 0;
  value.is_outlier =
      is_apart && std::abs(value.z) >= far && std::abs(value.distance) > kLeastDistance;
}

void judge_kind(FleetKind& kind) {
  const auto values = static_cast<double>(kind.parts.size() * kind.devices.size());
  for (std::size_t part = 0; part < kind.parts.size(); ++part)
    for (FleetDevice& device : kind.devices) {
      if (std::isnan(device.values[part].time)) continue;
      std::vector<const FleetValue*> others;
      for (const FleetDevice& other : kind.devices)
        if (&other != &device && !std::isnan(other.values[part].time))
          others.push_back(&other.values[part]);
      judge_value(device.values[part], others, values);
    }
  for (FleetDevice& device : kind.devices) {
    double sum = 0, count = 0;
    for (const FleetValue& value : device.values)
      if (!std::isnan(value.distance)) {
        sum += value.distance;
        ++count;
      }
    if (count > 0) device.score = sum / count;
  }
  // Devices without a score come last.
  std::ranges::stable_sort(kind.devices, {}, [](const FleetDevice& device) {
    return std::isnan(device.score) ? HUGE_VAL : device.score;
  });
}

}  // namespace

bool Fleet::has_outliers() const {
  return std::ranges::any_of(kinds, [](const FleetKind& kind) {
    return std::ranges::any_of(kind.devices, [](const FleetDevice& device) {
      return std::ranges::any_of(device.values, &FleetValue::is_outlier);
    });
  });
}

bool Fleet::has_failures() const {
  return std::ranges::any_of(kinds, [](const FleetKind& kind) {
    return std::ranges::any_of(kind.devices,
                               [](const FleetDevice& device) { return !device.failures.empty(); });
  });
}

Fleet fleet_of(std::span<const ResultFile> files) {
  std::map<std::string, GatheredKind> kinds;
  for (const ResultFile& file : files)
    for (std::size_t k = 0; k < file.results.size(); ++k) {
      if (file.results[k].is_reference()) continue;
      const std::int64_t row = k < file.environment_of.size() ? file.environment_of[k] : -1;
      gather(kinds, file.results[k],
             row < 0 ? EnvironmentRecord{} : file.environments[static_cast<std::size_t>(row)]);
    }
  Fleet fleet;
  for (const auto& [name, gathered] : kinds) {
    FleetKind kind{.name = name, .parts = gathered.parts, .devices = {}};
    for (const auto& [id, from] : gathered.devices) {
      FleetDevice device{.id = id,
                         .node = from.node,
                         .values = std::vector<FleetValue>(kind.parts.size()),
                         .failures = from.failures};
      for (const auto& [part, times] : from.of_part) device.values[part] = value_of(times);
      kind.devices.push_back(std::move(device));
    }
    judge_kind(kind);
    fleet.kinds.push_back(std::move(kind));
  }
  return fleet;
}

}  // namespace kernelbatch
