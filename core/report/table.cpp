#include "core/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.hpp"
#include "core/report/failures.hpp"
#include "core/report/shown_columns.hpp"
#include "core/report/verdict.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {
namespace {

std::string extent_text(const std::int64_t (&extent)[3]) {
  if (extent[2] != 1) return fmt::format("{} x {} x {}", extent[0], extent[1], extent[2]);
  if (extent[1] != 1) return fmt::format("{} x {}", extent[0], extent[1]);
  return fmt::format("{}", extent[0]);
}

/// Arrays stored only in part, a line for each variant's output.
std::string sampled_text(const std::vector<ResultRecord>& results) {
  std::map<std::string, std::int64_t> sampled;
  for (const ResultRecord& record : results)
    for (const OutputRecord& output : record.outputs)
      if (output.stride > 1) ++sampled[record.workload + " " + output.name];
  std::string text;
  for (const auto& [name, count] : sampled)
    text += fmt::format("Stored in part: output {} of {}; hash and statistics are of all\n",
                        visible_line(name), plural(static_cast<std::uint64_t>(count), "result"));
  return text;
}

/// Number of results that no reference has verified as a whole; empty if there are none.
std::string verified_text(const std::vector<ResultRecord>& results) {
  const VerifiedCount count = count_verified(results);
  if (count.timed == count.verified) return "";
  return fmt::format(
      "Unverified: {} timed, {} verified; the others have outputs without a reference\n",
      count.timed, count.verified);
}

/// Number of verified calls, and the inputs used.
std::string checks_text(const std::vector<ResultRecord>& results) {
  const auto of = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
  std::int64_t calls = 0, variants = 0, on_two = 0;
  double longest = 0;
  for (const ResultRecord& record : results) {
    if (record.checked_calls < 0 || record.is_reference()) continue;
    ++variants;
    calls += record.checked_calls;
    on_two += record.input_sets > 1 ? 1 : 0;
    if (record.check_time > longest) longest = record.check_time;
  }
  if (variants == 0) return "";
  return fmt::format("Checked: {} of {}, {} on two sets of inputs{}\n", plural(of(calls), "call"),
                     plural(of(variants), "result"),
                     on_two == variants ? "all" : fmt::format("{} of them", on_two),
                     longest > 0
                         ? fmt::format("; a check takes {} at most, outside of what is timed",
                                       format_seconds(longest))
                         : "");
}

std::string case_heading(const ResultRecord& record) {
  return visible_line(
      fmt::format("{}  {}  [{}]", record.workload, to_text(record.params), record.case_id));
}

/// One layout for all cases, so that their columns align. `right`: columns of numbers.
TextTable aligned_results(const std::vector<ResultRecord>& results,
                          std::vector<std::size_t>& right) {
  const std::vector<ShownColumn> columns = text_columns();
  std::vector<std::string> header;
  std::map<int, std::size_t> droppable;
  for (const ShownColumn& column : columns) {
    if (is_number(column)) right.push_back(header.size());
    if (column.shown.drop > 0) droppable.emplace(column.shown.drop, header.size());
    header.emplace_back(column.shown.heading);
  }
  header.front().insert(0, "  ");
  TextTable table(std::move(header));
  for (const ResultRecord& record : results) {
    std::vector<std::string> cells;
    std::vector<TextStyle> styles;
    for (const ShownColumn& column : columns) {
      const bool is_status = column.info.name == "status";
      styles.push_back(is_status ? style_of(record.status) : TextStyle::kPlain);
      cells.push_back(shown_text(column, record));
    }
    cells.front().insert(0, "  ");
    table.add(std::move(cells), std::move(styles));
  }
  std::vector<std::size_t> dropped;
  for (const auto& [order, column] : droppable) dropped.push_back(column);
  table.drop_when_narrow(std::move(dropped));
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].shown.omit_empty) table.drop_when_empty(k);
  return table;
}

}  // namespace

VerifiedCount count_verified(const std::vector<ResultRecord>& results) {
  VerifiedCount count;
  for (const ResultRecord& record : results) {
    if (record.status != Status::kOk || record.cold.samples <= 0) continue;
    ++count.timed;
    if (std::ranges::none_of(record.outputs,
                             [](const OutputRecord& output) { return output.mode == "none"; }))
      ++count.verified;
  }
  return count;
}

std::string reruns_text(const std::vector<ResultRecord>& results) {
  // Newer files contain an interval for another run. Host times from one run are never decided, so
  // there is no short statement for them.
  const bool has_gpu_times = std::ranges::any_of(results, [](const ResultRecord& record) {
    return record.device_class() == DeviceClass::kGpu && record.cold.samples > 0 &&
           record.processes < 0;
  });
  if (!has_gpu_times) return "";
  return fmt::format(
      "95 %: of the median in this run; another run's may lie {:g} µs a launch and {:g} % further "
      "off.\n",
      1e6 * kSingleRunJitter, 100 * kSingleRunGap);
}

std::string noise_text(const std::vector<DeviceCalibration>& calibrations) {
  std::string text;
  for (const DeviceCalibration& calibration : calibrations) {
    if (calibration.is_quiet()) continue;
    const std::string noise = calibration.noise_floor >= 0
                                  ? fmt::format("{:.3g} % (quiet is at most {:g} %)",
                                                100 * calibration.noise_floor, 100 * kQuietNoise)
                                  : "not known";
    text += fmt::format(
        "Noisy: the calibrated noise of {} is {}. Its measurements are unreliable, and "
        "`compare` will not report SAME. Rerun on an idle machine.\n",
        visible_line(calibration.device), noise);
  }
  return text;
}

std::string results_table(const std::vector<ResultRecord>& results, const TextFormat& format,
                          const std::string& again) {
  std::vector<std::size_t> right;
  const TextTable table = aligned_results(results, right);
  const std::vector<std::string> lines = table.to_lines(right, format);

  std::string text;
  std::vector<const ResultRecord*> failures;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (k == 0 || results[k].case_id != results[k - 1].case_id) {
      text +=
          fmt::format("{}{}\n{}\n", k == 0 ? "" : "\n",
                      styled(case_heading(results[k]), TextStyle::kStrong, format), lines.front());
    }
    text += lines[k + 1] + "\n";
    if (results[k].status != Status::kOk) failures.push_back(&results[k]);
  }
  text += table.hidden_text(format);
  if (!results.empty()) text += "\n";
  text += verified_text(results) + checks_text(results) + sampled_text(results);
  if (!failures.empty())
    text += fmt::format("{}\n{}", styled("Not ok:", TextStyle::kBad, format),
                        failures_text(failures, format, again));
  return text;
}

std::span<const std::string_view> table_columns() {
  static const std::vector<std::string_view> kNames = [] {
    // Ingredients of columns that are not stored, and of the lines below the tables.
    std::vector<std::string_view> names{
        "kind",         "fault",         "phase",         "reason",         "detail",
        "tuned_params", "cold_median",   "cold_ci95_low", "cold_ci95_high", "cold_samples",
        "hot_median",   "host_median",   "bytes_read",    "bytes_written",  "ceiling",
        "output",       "mode",          "max_abs_err",   "max_rel_err",    "mismatches",
        "stride",       "deterministic", "checked_calls", "input_sets",     "check_time",
        "verified",     "processes",     "run",           "made_of",        schema::kParamsJson};
    for (const auto& column : schema::results())
      if (!column.shown.heading.empty()) names.push_back(column.info.name);
    return names;
  }();
  return kNames;
}

std::string launches_table(const std::vector<ResultRecord>& results, const TextFormat& format) {
  std::string text;
  for (const ResultRecord& record : results) {
    text += visible_line(
        fmt::format("{}  {}  {}: ", record.workload, to_text(record.params), record.variant));
    if (record.launches.empty()) {
      text += record.is_reference() ? "runs on the CPU\n" : "no launch was recorded\n";
      continue;
    }
    text += plural(record.launches.size(), "launch") + "\n";
    TextTable table({"  #", "kernel", "grid", "block", "shared", "registers", "local", "time"});
    for (const LaunchRecord& launch : record.launches)
      table.add({fmt::format("  {}", launch.order), launch.kernel, extent_text(launch.grid),
                 extent_text(launch.block),
                 launch.shared_dynamic > 0
                     ? format_bytes(static_cast<std::uint64_t>(launch.shared_dynamic))
                     : "",
                 launch.registers >= 0 ? fmt::format("{}", launch.registers) : "",
                 launch.local_bytes > 0
                     ? format_bytes(static_cast<std::uint64_t>(launch.local_bytes))
                     : "",
                 std::isnan(launch.duration) ? "" : format_seconds(launch.duration)});
    for (const std::size_t column : {4u, 5u, 6u, 7u}) table.drop_when_empty(column);
    table.drop_when_narrow({6, 4, 5, 7});
    text += table.to_text({0, 4, 5, 6, 7}, format);
  }
  return text;
}

TextStyle style_of(Status status) noexcept {
  if (status == Status::kOk) return TextStyle::kGood;
  const bool is_not_run = status == Status::kSkipped;
  return is_not_run ? TextStyle::kWarning : TextStyle::kBad;
}

}  // namespace kernelbatch
