#include "core/report/slices/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Bytes per second of the whole GPU; NaN if it was not calibrated.
double bandwidth_of(const ResultFile& whole) {
  double bandwidth = kMissing;
  for (const DeviceCalibration& each : whole.calibration)
    bandwidth = std::fmax(bandwidth, each.copy_bandwidth);
  return bandwidth;
}

/// The result's time on a slice with this bandwidth.
double time_on(const ResultRecord& result, double bandwidth) {
  const double transfer = result.least_bytes / bandwidth;
  return std::fmax(result.ranked_time(), transfer);
}

SliceEstimate estimate_of(const SliceRun& run, const ResultRecord& wanted, double bandwidth) {
  SliceEstimate best{.case_id = wanted.case_id,
                     .workload = wanted.workload,
                     .params = to_text(wanted.params),
                     .profile = run.profile,
                     .compute_units = run.compute_units,
                     .reason = "no result",
                     .time = kMissing,
                     .share = run.compute};
  double alone = kMissing;
  for (const ResultRecord& each : run.results.results) {
    if (each.case_id != wanted.case_id || each.is_reference()) continue;
    const double time = time_on(each, run.memory * bandwidth);
    if (std::isnan(time)) {
      if (best.variant.empty()) best.reason = to_text(each.status);
      continue;
    }
    // Several may be limited by the bandwidth: the fastest on these SMs comes first.
    if (best.time < time || (best.time == time && alone <= each.ranked_time())) continue;
    alone = each.ranked_time();
    best.variant = each.variant;
    best.reason.clear();
    best.time = time;
    best.is_bandwidth_bound = time > each.ranked_time();
  }
  return best;
}

std::string time_text(double seconds) {
  return std::isnan(seconds) ? "-" : format_seconds(seconds);
}

}  // namespace

std::vector<SliceEstimate> slice_estimates(const std::vector<SliceRun>& runs) {
  std::vector<SliceEstimate> estimates;
  if (runs.empty()) return estimates;
  const ResultFile& whole = runs.front().results;
  const double bandwidth = bandwidth_of(whole);
  std::vector<std::string> seen;
  for (const ResultRecord& result : whole.results) {
    if (std::ranges::find(seen, result.case_id) != seen.end()) continue;
    seen.push_back(result.case_id);
    for (const SliceRun& run : runs) estimates.push_back(estimate_of(run, result, bandwidth));
  }
  return estimates;
}

std::string slices_text(const std::vector<SliceEstimate>& estimates, const TextFormat& format) {
  TextTable table({"case", "profile", "SMs", "variant", "time", "share", "time × share", "limit"});
  for (const SliceEstimate& each : estimates)
    table.add({visible_line(each.workload + " " + each.params), each.profile,
               fmt::format("{}", each.compute_units), visible_line(each.variant),
               time_text(each.time), fmt::format("{:.2f}", each.share),
               time_text(each.time_share()),
               each.variant.empty()      ? each.reason
               : each.is_bandwidth_bound ? "bandwidth"
                                         : "SMs"});
  table.drop_when_narrow({5, 7});
  table.wrap({0});
  return table.to_text({2, 4, 5, 6}, format) +
         "\nEstimates from runs on a part of this GPU's SMs (limits.sms, limits.memory). "
         "`bandwidth`: the\n"
         "time is the least transfer at the slice's share of the calibrated copy bandwidth. "
         "Unknown:\n"
         "the slice's smaller L2 cache, its clock under other slices' load, and waits for memory\n"
         "that the whole GPU's bandwidth hides. A slice may be slower, by more for kernels near a "
         "limit.\n";
}

std::string slices_json(const std::vector<SliceEstimate>& estimates) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto number = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  for (const SliceEstimate& each : estimates)
    list.push_back({{"case_id", each.case_id},
                    {"workload", each.workload},
                    {"params", each.params},
                    {"profile", each.profile},
                    {"sms", each.compute_units},
                    {"variant", each.variant},
                    {"reason", each.reason},
                    {"time", number(each.time)},
                    {"share", each.share},
                    {"time_share", number(each.time_share())},
                    {"bandwidth_bound", each.is_bandwidth_bound}});
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kernelbatch
