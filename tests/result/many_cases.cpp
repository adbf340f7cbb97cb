// many_cases FILE CASES [SAMPLES [SLOWDOWN]]: writes a made-up results file of workloads over sizes
// and dtypes, with launches, calibration and some failures. For the figures of readers and reports;
// every number is invented. SLOWDOWN multiplies the times of the variant `raw`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>

#include "core/result/merged_writer.hpp"

using namespace kernelbatch;

namespace {

class NoOutputs final : public OutputSource {
 public:
  bool has_digests() const noexcept override { return true; }
  std::vector<std::string> outputs(std::string_view, std::string_view) const override { return {}; }
  std::optional<h5::Dataset> output(std::string_view, std::string_view,
                                    std::string_view) const override {
    return std::nullopt;
  }
};

constexpr double kCopyBandwidth = 4.1e12, kReadBandwidth = 4.5e12, kEmptyLaunch = 2.1e-6;

struct WorkloadShape {
  const char* name;
  double bytes_per_element, flops_per_element;
};
constexpr WorkloadShape kWorkloads[] = {
    {"saxpy", 3, 2}, {"mse", 2, 3}, {"l2norm", 1, 2}, {"hillshade", 2, 40}, {"matmul", 3, 700}};

struct VariantShape {
  const char* name;
  double efficiency;  ///< share of the ceiling
  int launches;
};
constexpr VariantShape kVariants[] = {
    {"reference", 0.03, 0}, {"elementwise", 0.45, 5}, {"jit", 0.85, 1}, {"raw", 0.9, 1}};

std::string case_id(int number) {
  return fmt::format("{:016x}", 0x9e3779b97f4a7c15ull * static_cast<unsigned>(number + 1));
}

class Maker {
 public:
  Maker(int samples, double slowdown) : samples_(samples), slowdown_(slowdown) {}

  ResultRecord result(int number, const WorkloadShape& workload, const VariantShape& variant) {
    ResultRecord r;
    r.case_id = case_id(number);
    r.workload = workload.name;
    r.workload_version = "1";
    r.variant = variant.name;
    const bool is_reference = r.variant == "reference";
    r.kind = parse_choice<VariantKind>(r.variant).value_or(VariantKind::kRaw);
    r.device = is_reference ? "host Example CPU" : "Example GPU";
    const int power = 12 + number / 10 % 15;
    const auto n = std::int64_t{1} << power;
    const bool is_double = number / 5 % 2 != 0;
    r.params = {{"n", n},
                {"dtype", std::string(is_double ? "float64" : "float32")},
                {"block", std::int64_t{64} << number / 150 % 5},
                {"repeat", std::int64_t{number / 750}}};
    r.start_ns = 1'760'000'000'000'000'000 + number * std::int64_t{1'000'000'000};
    r.end_ns = r.start_ns + 900'000'000;
    const double bytes = static_cast<double>(n) * workload.bytes_per_element * (is_double ? 8 : 4);
    r.bytes_read = bytes * 2 / 3;
    r.bytes_written = bytes / 3;
    r.flops = static_cast<double>(n) * workload.flops_per_element;
    if (is_failure(number, variant)) {
      r.status = number % 3 == 0 ? Status::kVerificationFailed : Status::kCrashed;
      r.phase = number % 3 == 0 ? Phase::kVerify : Phase::kRun;
      r.reason = number % 3 == 0 ? "z: 7 of 4096 elements are wrong"
                                 : "the worker ended in phase 'run': killed by signal 11";
      r.detail = "CUDA_ERROR_ILLEGAL_ADDRESS at line 12 <kernel>";
      return r;
    }
    r.status = Status::kOk;
    r.verified = !is_reference;
    r.deterministic = true;
    const double floor = is_reference ? 2e-7 : kEmptyLaunch;
    time_it(r, floor + bytes / (kCopyBandwidth * variant.efficiency) *
                           (r.variant == "raw" ? slowdown_ : 1));
    r.compile_time = 0.2;
    r.load_time = 0.002;
    if (!is_reference) r.ceiling = kCopyBandwidth;
    OutputRecord z;
    z.name = "z";
    z.dtype = is_double ? DType::kFloat64 : DType::kFloat32;
    z.shape = {n};
    z.mode = is_reference ? "reference" : "allclose";
    z.tolerance = "rtol=1e-06 atol=0";
    z.max_abs_err = 1e-9;
    z.max_rel_err = 1e-8;
    z.mismatches = 0;
    r.outputs = {z};
    r.kernel_launches = variant.launches;
    for (int k = 0; k < variant.launches; ++k) {
      r.launches.push_back({fmt::format("{}_{}", workload.name, k),
                            k,
                            {n / 256 + 1, 1, 1},
                            {256, 1, 1},
                            0,
                            24,
                            0,
                            0,
                            r.cold.median / std::max(1, variant.launches)});
      r.kernels.push_back(
          {fmt::format("{}_{}", workload.name, k), "feed", "sm_90", "-O3", 24, 0, 0, 1024});
    }
    return r;
  }

 private:
  static bool is_failure(int number, const VariantShape& variant) {
    return number % 97 == 13 && std::string_view(variant.name) == "jit";
  }

  void time_it(ResultRecord& r, double median) {
    std::lognormal_distribution<double> spread(0, 0.004);
    std::vector<double> times;
    for (int k = 0; k < samples_; ++k) {
      times.push_back(median * spread(random_) * (k % 17 == 3 ? 1.04 : 1));
      r.samples.push_back({SampleKind::kCold, k, times.back(), 1.755e9, r.start_ns + k * 1000});
    }
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    r.cold.samples = samples_;
    r.cold.median = at(0.5);
    r.cold.min = times.front();
    r.cold.max = times.back();
    r.cold.mean = r.cold.median * 1.001;
    r.cold.iqr = at(0.75) - at(0.25);
    r.cold.mad = r.cold.iqr / 2;
    r.cold.ci95_low = at(0.4);
    r.cold.ci95_high = at(0.6);
    r.stop_reason = "interval of 0.3 %";
    r.sm_clock_mean = 1.755e9;
  }

  int samples_;
  double slowdown_;
  std::mt19937_64 random_{42};
};

void add_speedups(CollectedCase& collected) {
  const Summary base = collected.results.front().record.cold;
  for (CollectedResult& result : collected.results) {
    ResultRecord& r = result.record;
    if (r.status != Status::kOk) continue;
    r.speedup = base.median / r.cold.median;
    r.speedup_low = base.ci95_low / r.cold.ci95_high;
    r.speedup_high = base.ci95_high / r.cold.ci95_low;
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 3) return 2;
  const int cases = std::atoi(arguments[2]);
  Maker maker(count > 3 ? std::atoi(arguments[3]) : 30, count > 4 ? std::atof(arguments[4]) : 1);
  NewFile file(arguments[1]);
  MergedWriter writer(file, "kernelbatch test");
  writer.add({"Example GPU", kEmptyLaunch, kCopyBandwidth, kReadBandwidth, 0.004}, 0);
  const NoOutputs none;
  const EnvironmentRecord environment{{{"host", std::string("node1")},
                                       {"os", std::string("Debian GNU/Linux 12")},
                                       {"cores", std::int64_t{64}},
                                       {"gpu_name", std::string("Example GPU")},
                                       {"driver", std::string("580.1")}}};
  const JobRecord job{"many", "workload: saxpy\n", "workload: saxpy\n", "cafe"};
  // In the order of a merge.
  std::vector<int> numbers(static_cast<std::size_t>(cases));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::sort(numbers.begin(), numbers.end(),
            [](int a, int b) { return comes_before(case_id(a), case_id(b)); });
  for (const int number : numbers) {
    CollectedCase collected;
    for (const VariantShape& variant : kVariants)
      collected.results.push_back(
          {maker.result(number, kWorkloads[number % 5], variant), &environment, &job, &none});
    add_speedups(collected);
    writer.add(collected);
  }
  writer.finish();
  file.commit(arguments[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
