#include "core/run/duration/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/case/evidence.hpp"
#include "core/inline/case.hpp"

namespace kernelbatch {
namespace {

/// Maximum number of cases per workload whose bytes are requested.
constexpr std::size_t kMostAsked = 256;
/// Larger outputs are stored as a sample (`output.arrays`).
constexpr double kLargestStored = 256.0 * 1024 * 1024;
/// Time to start a worker and calibrate the device, once.
constexpr double kStartSeconds = 2;

/// Cost of a variant in addition to its samples, in each process that times it.
struct Overhead {
  double seconds;           ///< preparation, compilation, the first call
  double calls;             ///< including checks, each moving all bytes; for kStandardNoise
  double bytes_per_second;  ///< of such a call
  double first_s;           ///< once: compiling uncached kernels, evidence
};
constexpr Overhead kOnGpu{0.04, 250, 1e12, 0.05};
constexpr Overhead kOnHost{0.03, 15, 2e9, 0.1};
constexpr double kStandardNoise = 0.01;
/// Fewest and most calls on a GPU, per sample of the minimum number of samples.
constexpr double kFewestCalls = 6, kMostCalls = 50;
/// Calls of a reference for kStandardNoise, and its longest timing.
constexpr double kReferenceCalls = 100, kMostReferenceSeconds = 5;
/// s of samples on a quiet CPU, times the square of the required noise.
constexpr double kCpuSeconds = 1e-4;
/// Bytes per second of making inputs, and of a call of a plain reference.
constexpr double kReferenceRate = 2.5e9;

std::size_t timed_variants(const PlannedWorkload& planned) {
  return planned.variants.size() -
         static_cast<std::size_t>(std::ranges::count(planned.variants, planned.reference));
}

/// At most `most` cases, evenly sampled.
std::vector<NamedValues> spread(std::vector<NamedValues> cases, std::size_t most) {
  if (cases.size() <= most) return cases;
  std::vector<NamedValues> kept;
  for (std::size_t k = 0; k < most; ++k) kept.push_back(cases[k * cases.size() / most]);
  return kept;
}

}  // namespace

Footprints footprints_of(const PlannedWorkload& planned, const std::string& folder,
                         const FootprintsOf& ask) {
  if (planned.spec.kernels)
    return [&spec = planned.spec, folder](const std::vector<NamedValues>& cases) {
      std::vector<double> bytes;
      for (const NamedValues& values : cases) {
        double total = 0;
        try {
          const auto problem =
              make_inline_problem(*spec.kernels, spec.inputs, values, folder, nullptr);
          const Cost cost = problem->cost_of(spec.kernels->variants.front().name);
          total = cost.bytes_read + cost.bytes_written;
        } catch (const SpecError&) {
          // A combination dropped by a filter may be invalid; the remaining ones are checked
          // individually.
        }
        bytes.push_back(total);
      }
      return bytes;
    };
  if (!ask) return nullptr;
  return
      [&planned, ask](const std::vector<NamedValues>& cases) { return ask(planned.plugin, cases); };
}

double case_seconds(const MeasureSpec& measure, const PlannedWorkload& planned, double bytes,
                    bool is_gpu) {
  const Overhead& overhead = is_gpu ? kOnGpu : kOnHost;
  const auto variants = static_cast<double>(timed_variants(planned));
  const bool has_reference = variants < static_cast<double>(planned.variants.size());
  const double processes = measure.processes;
  const double ratio = kStandardNoise * kStandardNoise / (measure.noise * measure.noise);
  const double least = measure.min_samples;
  const double calls =
      is_gpu ? std::clamp(overhead.calls * ratio, kFewestCalls * least, kMostCalls * least)
             : overhead.calls;
  const double call = overhead.seconds + calls * bytes / overhead.bytes_per_second;
  // CPU times scatter: halving the error of their median takes four times as long.
  const double on_cpu = std::min(measure.timeout_s, kCpuSeconds / (measure.noise * measure.noise));
  const double samples = is_gpu ? 0 : std::min(measure.timeout_s, processes * on_cpu);
  const bool is_explained = is_gpu && (measure.counters == EvidenceChoice::kAuto ||
                                       measure.twins == EvidenceChoice::kAuto);
  const double timed_reference =
      std::min({std::max(on_cpu, kReferenceCalls * ratio * bytes / kReferenceRate),
                measure.timeout_s, kMostReferenceSeconds});
  const double reference =
      processes * 3 * bytes / kReferenceRate + (has_reference ? timed_reference : 0);
  return reference + variants * (overhead.first_s + processes * call + samples +
                                 (is_explained ? kUsualEvidenceSeconds : 0));
}

std::vector<double> seconds_of_cases(const JobSpec& job, const Plan& plan, bool is_gpu,
                                     const FootprintsOf& ask) {
  constexpr std::size_t kMost = 4096;
  std::vector<double> seconds(plan.cases.size(), 1);
  if (plan.cases.size() > kMost) return seconds;
  const std::string folder = job.path.parent_path().string();
  for (std::size_t k = 0; k < plan.workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    std::vector<NamedValues> values;
    for (const PlannedCase& each : plan.cases)
      if (each.workload == k) values.push_back(each.params);
    std::vector<double> bytes(values.size(), 0);
    if (const Footprints footprints = footprints_of(planned, folder, ask))
      bytes = footprints(values);
    auto next = bytes.begin();
    for (std::size_t at = 0; at < plan.cases.size(); ++at)
      if (plan.cases[at].workload == k)
        seconds[at] = case_seconds(job.measure, planned, *next++, is_gpu);
  }
  return seconds;
}

Estimate estimate(const JobSpec& job, const Plan& plan, const FootprintsOf& ask) {
  const std::string folder = job.path.parent_path().string();
  Estimate estimate;
  estimate.gpu_s = estimate.host_s = kStartSeconds;
  for (std::size_t k = 0; k < plan.workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    std::vector<NamedValues> cases;
    for (const PlannedCase& each : plan.cases)
      if (each.workload == k) cases.push_back(each.params);
    const auto count = static_cast<double>(cases.size());
    cases = spread(std::move(cases), kMostAsked);
    std::vector<double> bytes(cases.size(), 0);
    if (const Footprints footprints = footprints_of(planned, folder, ask))
      bytes = footprints(cases);
    // Number of cases that each sampled case represents.
    const double stands_for = count / static_cast<double>(std::max<std::size_t>(cases.size(), 1));
    for (const double of_case : bytes) {
      estimate.gpu_s += stands_for * case_seconds(job.measure, planned, of_case, true);
      estimate.host_s += stands_for * case_seconds(job.measure, planned, of_case, false);
      estimate.device_bytes = std::max(estimate.device_bytes, of_case);
      if (job.output.arrays == KeptArrays::kAll)
        estimate.stored_bytes += stands_for * static_cast<double>(planned.variants.size()) *
                                 std::min(of_case, kLargestStored);
    }
  }
  for (const PlannedSearch& search : plan.searches) {
    const TuneBudget& budget = *search.tune().budget;
    estimate.gpu_s += budget.seconds;
    estimate.host_s += budget.seconds;
    if (budget.seconds == 0) estimate.is_at_least = true;
  }
  return estimate;
}

std::string to_text(const Estimate& estimate) {
  std::string text = fmt::format("{} {} on a GPU, {} on the host device",
                                 estimate.is_at_least ? "more than" : "about",
                                 clock_text(estimate.gpu_s), clock_text(estimate.host_s));
  if (estimate.device_bytes > 0)
    text += fmt::format("; device memory {} or more",
                        format_bytes(static_cast<std::uint64_t>(estimate.device_bytes)));
  if (estimate.stored_bytes > 0)
    text += fmt::format("; outputs up to {}",
                        format_bytes(static_cast<std::uint64_t>(estimate.stored_bytes)));
  return text;
}

}  // namespace kernelbatch
