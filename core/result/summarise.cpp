#include "core/result/summarise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/statistics.hpp"

namespace kernelbatch {

Summary summarise(std::span<const double> samples) {
  Summary summary;
  summary.samples = static_cast<std::int64_t>(samples.size());
  if (samples.empty()) return summary;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  summary.median = quantile(sorted, 0.5);
  summary.iqr = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  std::vector<double> deviations;
  for (const double sample : sorted) deviations.push_back(std::abs(sample - summary.median));
  std::sort(deviations.begin(), deviations.end());
  summary.mad = quantile(deviations, 0.5);
  // Ranks from 1; for five samples and fewer no pair of ranks covers 95 %.
  const double half_width = 0.98 * std::sqrt(n);
  const double low = std::max(1.0, std::floor(n / 2 - half_width));
  const double high = std::min(n, std::ceil(n / 2 + 1 + half_width));
  summary.ci95_low = sorted[static_cast<std::size_t>(low) - 1];
  summary.ci95_high = sorted[static_cast<std::size_t>(high) - 1];
  return summary;
}

std::vector<std::vector<double>> times_by_process(const ResultRecord& record, SampleKind kind) {
  std::vector<std::vector<double>> times;
  for (const Sample& sample : record.samples) {
    if (sample.kind != kind || std::isnan(sample.time) || sample.process < 0) continue;
    const auto process = static_cast<std::size_t>(sample.process);
    if (process >= times.size()) times.resize(process + 1);
    times[process].push_back(sample.time);
  }
  std::erase_if(times, [](const std::vector<double>& each) { return each.empty(); });
  return times;
}

UsualDeviation usual_deviation(const ResultRecord& record) {
  constexpr double kHostProcesses = 0.02, kHostRuns = 0.025;
  constexpr double kGpuProcesses = 0.001, kLaunch = 0.1e-6, kGpuRuns = 0.003,
                   kGpuRunsAtOneClock = 0.001;
  if (record.device_class() == DeviceClass::kHost) return {kHostProcesses, kHostRuns, kHostRuns};
  const auto launches = static_cast<double>(std::max<std::int64_t>(1, record.kernel_launches));
  return {std::hypot(kGpuProcesses, launches * kLaunch / record.ranked_time()), kGpuRuns,
          kGpuRunsAtOneClock};
}

void state_for_next_run(Summary& summary, std::span<const std::vector<double>> by_process,
                        const UsualDeviation& usual) {
  constexpr double kUsualFreedom = 4;
  if (by_process.empty() || !(summary.median > 0) || !std::isfinite(usual.processes)) return;
  const auto count = static_cast<double>(by_process.size());
  std::vector<double> logs;
  for (const std::vector<double>& times : by_process) logs.push_back(std::log(median_of(times)));
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = kUsualFreedom * usual.processes * usual.processes;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double freedom = kUsualFreedom + count - 1;
  constexpr double kNormal = 1.959963984540054;
  const double of_processes =
      student_half_width(static_cast<std::size_t>(freedom)) * std::sqrt(squares / freedom / count);
  const double half = std::sqrt(2.0) * std::hypot(of_processes, kNormal * usual.runs);
  summary.ci95_low = std::min(summary.ci95_low, summary.median * std::exp(-half));
  summary.ci95_high = std::max(summary.ci95_high, summary.median * std::exp(half));
}

}  // namespace kernelbatch
