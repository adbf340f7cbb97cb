#include "core/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.hpp"
#include "core/report/verdict.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {
namespace {

/// "1.23 ms ± 0.4 %", with the interval's half width relative to the median.
std::string interval_text(const Summary& summary) {
  if (summary.samples < 6) return "";  // too few for an interval: summarise() gives their range
  const double half = (summary.ci95_high - summary.ci95_low) / 2 / summary.median;
  if (std::isnan(half)) return "";
  return fmt::format("± {:.2g} %", 100 * half);
}

std::string rate_text(double bytes_per_second) {
  if (std::isnan(bytes_per_second)) return "";
  return fmt::format("{:.{}f}", bytes_per_second / 1e9, bytes_per_second < 1e11 ? 2 : 0);
}

std::string share_text(double share) {
  return std::isnan(share) ? "" : fmt::format("{:.0f} %", 100 * share);
}

std::string extent_text(const std::int64_t (&extent)[3]) {
  if (extent[2] != 1) return fmt::format("{} x {} x {}", extent[0], extent[1], extent[2]);
  if (extent[1] != 1) return fmt::format("{} x {}", extent[0], extent[1]);
  return fmt::format("{}", extent[0]);
}

std::string error_text(const ResultRecord& record) {
  if (record.is_reference() && record.status == Status::kOk) return "is the reference";
  // A fault comes first, even if other checks did not run.
  if (!record.fault.empty()) return record.fault;
  for (const OutputRecord& output : record.outputs)
    if (output.mismatches >= 0 && std::isnan(output.max_abs_err)) return "NaN";
  for (const OutputRecord& output : record.outputs) {
    if (output.mode == "reference") return "is the reference";
    if (output.mode == "none") return "UNVERIFIED: no reference";
  }
  double rel = -1, absolute = 0;
  bool all_exact = !record.outputs.empty();
  for (const OutputRecord& output : record.outputs) {
    rel = std::max(rel, output.max_rel_err);
    absolute = std::max(absolute, output.max_abs_err);
    all_exact = all_exact && output.max_abs_err == 0;
  }
  if (record.outputs.empty()) return "";
  // If all elements are equal, the failure is elsewhere.
  if (all_exact) return record.status == Status::kVerificationFailed ? "NaN" : "exact";
  // There is no error relative to zero.
  const bool is_absolute = std::isinf(rel) && std::isfinite(absolute);
  return fmt::format("{} {:.1e}{}", is_absolute ? "abs" : "rel", is_absolute ? absolute : rel,
                     record.deterministic.value_or(true) ? "" : ", varies");
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

/// The usual cause of a fault; empty if none is known.
std::string_view likely_cause(const ResultRecord& record) {
  struct Cause {
    std::string_view fault, sentence;
  };
  static constexpr Cause kCauses[] = {
      {"never written", "the grid has too few threads, or a bound leaves elements out"},
      {"out of bounds", "threads beyond the last element write: `if (k < n)` is missing"},
      {"input written", "an input and an output argument are swapped"},
      {"inputs not read", "the answer is kept from an earlier call"},
      {"prepared answer", "the work was done before the timed call"},
      {"varies", "a race: threads write the same element, or read it before it is written"},
      {"NaN", "an uninitialized element is read, or a division by zero"}};
  for (const Cause& each : kCauses)
    if (record.fault.starts_with(each.fault)) return each.sentence;
  return "";
}

std::string case_heading(const ResultRecord& record) {
  return visible_line(
      fmt::format("{}  {}  [{}]", record.workload, to_text(record.params), record.case_id));
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

ResultCells result_cells(const ResultRecord& record) {
  const bool is_right = record.status == Status::kOk;
  const bool is_one_set = is_right && record.verification() == Verification::kOneSet;
  return {record.workload,
          to_text(record.params),
          record.variant,
          std::string(to_text(record.status)),
          is_right ? format_seconds(record.ranked_time()) : "-",
          is_right ? interval_text(record.cold) : "",
          is_right ? rate_text(record.bandwidth()) : "",
          is_right ? speedup_text(record.speedup) : "",
          error_text(record) + (is_one_set ? ", one set" : "")};
}

std::string results_table(const std::vector<ResultRecord>& results, const TextFormat& format,
                          const std::string& job) {
  // One layout for all cases, so that their columns align.
  TextTable table({"  variant", "status", "median", "± 95 %", "GB/s", "ceiling", "speed-up",
                   "error", "device"});
  for (const ResultRecord& record : results) {
    const ResultCells cells = result_cells(record);
    const bool is_right = record.status == Status::kOk;
    table.add(
        {"  " + cells[2], cells[3], cells[4], cells[5], cells[6],
         is_right ? share_text(record.share_of_ceiling()) : "", cells[7], cells[8], record.device},
        {TextStyle::kPlain, style_of(record.status)});
  }
  table.drop_when_empty(5);
  table.drop_when_narrow({8, 5, 7, 4, 3, 6});
  const std::vector<std::string> lines = table.to_lines({2, 3, 4, 5, 6}, format);

  std::string text, failures;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (k == 0 || results[k].case_id != results[k - 1].case_id) {
      text +=
          fmt::format("{}{}\n{}\n", k == 0 ? "" : "\n",
                      styled(case_heading(results[k]), TextStyle::kStrong, format), lines.front());
    }
    text += lines[k + 1] + "\n";
    if (results[k].status != Status::kOk) failures += failure_text(results[k], format, job);
  }
  text += table.hidden_text(format);
  if (!results.empty()) text += "\n";
  text += verified_text(results) + checks_text(results) + sampled_text(results);
  if (!failures.empty())
    text += fmt::format("{}\n{}", styled("Not ok:", TextStyle::kBad, format), failures);
  return text;
}

std::span<const std::string_view> table_columns() noexcept {
  static constexpr std::string_view kNames[] = {"workload",      "variant",
                                                "kind",          "fault",
                                                "device",        "status",
                                                "phase",         "reason",
                                                "detail",        "tuned_params",
                                                "cold_median",   "cold_ci95_low",
                                                "hot_median",    "cold_samples",
                                                "host_median",   "cold_ci95_high",
                                                "bytes_read",    "ceiling",
                                                "speedup",       "output",
                                                "bytes_written", "mode",
                                                "max_abs_err",   "max_rel_err",
                                                "mismatches",    "stride",
                                                "deterministic", "checked_calls",
                                                "input_sets",    "check_time",
                                                "processes",     "run",
                                                "made_of",       schema::kParamsJson};
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

std::string failure_text(const ResultRecord& record, const TextFormat& format,
                         const std::string& job) {
  std::string text = fmt::format(
      "  {}: {}{}: {}\n",
      visible_line(
          fmt::format("{} {} {}", record.workload, to_text(record.params), record.variant)),
      styled(to_text(record.status), style_of(record.status), format),
      record.phase == Phase::kNone ? "" : fmt::format(" in phase {}", name_of(record.phase)),
      visible_line(record.reason));
  if (const std::string_view cause = likely_cause(record); !cause.empty())
    text += fmt::format("      likely: {}\n", cause);
  const std::vector<std::string> detail = split(trim(record.detail), '\n');
  for (const std::string& line : detail)
    // The reason of a failed compilation ends with the compiler's first line.
    if (!line.empty() && !(&line == &detail.front() && record.reason.ends_with(line)))
      text += styled(fmt::format("      | {}", visible(line)), TextStyle::kFaint, format) + "\n";
  for (const FindingRecord& finding : record.findings)
    for (const std::string& line : split(to_text(finding), '\n'))
      text += fmt::format("      {}\n", visible(line));
  if (!job.empty() && style_of(record.status) == TextStyle::kBad)
    text += fmt::format("      again: kernelbatch run {} --only variant={} -o again.h5\n",
                        visible_line(job), visible_line(record.variant));
  return text;
}

TextStyle style_of(Status status) noexcept {
  if (status == Status::kOk) return TextStyle::kGood;
  const bool is_not_run = status == Status::kSkipped;
  return is_not_run ? TextStyle::kWarning : TextStyle::kBad;
}

std::string speedup_text(double speedup) {
  return std::isnan(speedup) ? "" : fmt::format("{:.2f}x", speedup);
}

}  // namespace kernelbatch
