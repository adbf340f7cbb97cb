#include "tests/result/synthetic.hpp"

#include <fmt/format.h>

#include "core/base/text.hpp"

namespace kernelbatch::test {
namespace {

Summary summary(double median) {
  return {median,        0.1 * median,  0.05 * median, 0.9 * median, 1.2 * median,
          1.01 * median, 0.99 * median, 1.02 * median, 10,           1};
}

ResultRecord result(const std::string& case_id, const std::string& variant, std::int64_t attempt,
                    int samples) {
  ResultRecord r;
  r.case_id = case_id;
  r.workload = "saxpy";
  r.workload_version = "1.2";
  r.variant = variant;
  r.kind = parse_choice<VariantKind>(variant);
  r.device = "host";
  r.status = Status::kOk;
  r.run = 1'700'000'000'000'000'000;
  r.attempt = attempt;
  r.start_ns = 1'700'000'000'000'000'001 + attempt;
  r.end_ns = r.start_ns + 5'000'000'000;
  r.params = {{"n", std::int64_t{1000000}},
              {"alpha", 0.5},
              {"dtype", std::string("float64")},
              {"in_place", true}};
  r.cold = summary(1e-3);
  r.hot = summary(5e-4);
  r.stop_reason = "interval is narrow";
  r.compile_time = 0.25;
  r.bytes_read = 16e6;
  r.bytes_written = 8e6;
  r.flops = 2e6;
  r.ceiling = 1e11;
  r.speedup = 1.5;
  r.verified = true;
  r.deterministic = true;
  r.registers = 16;
  r.kernel_launches = 1;
  OutputRecord z;
  z.name = "z";
  z.shape = {3, 4};
  z.dimensions = {"row", "column"};
  z.units = "m";
  z.help = "the sum";
  z.mode = "allclose";
  z.tolerance = "rtol=1e-06 atol=0";
  z.max_abs_err = 1e-9;
  z.max_rel_err = 1e-10;
  z.max_ulp = 2;
  z.rms_err = 1e-10;
  z.mismatches = 0;
  z.xxh3 = hash_hex(std::as_bytes(std::span(z_values())));
  r.outputs = {z};
  for (int k = 0; k < samples; ++k)
    r.samples.push_back({k % 2 == 0 ? SampleKind::kCold : SampleKind::kHot, k, 1e-3 + 1e-6 * k,
                         1.5e9, 1'700'000'000'000'000'000 + k});
  r.launches = {{"saxpy", 0, {7, 1, 1}, {256, 1, 1}, 0, 16, 0, 1, 9e-4}};
  r.counters = {{"saxpy", 0, EvidenceSource::kCounter, "dram__bytes_read.sum", 16e6, "byte"},
                {"", -1, EvidenceSource::kTwin, "half_grid", 6e-4, "s"}};
  r.kernels = {{"saxpy", "feed", "sm_90", "-O3", 16, 0, 0, 1024}};
  return r;
}

}  // namespace

CaseRecord synthetic_case(const std::string& case_id, std::int64_t attempt, int samples) {
  CaseRecord record;
  record.case_id = case_id;
  for (const char* variant : {"elementwise", "raw"})
    record.results.push_back(result(case_id, variant, attempt, samples));
  record.environment.values = {{"host", std::string("node1")},
                               {"cores", std::int64_t{64}},
                               {"memory", 1.5e9},
                               {"mps", false}};
  record.job = {"demo", "workload: saxpy\n", "workload: saxpy\nn: 1000000\n", "cafe"};
  record.calibration = {{"host", 1e-6, 1e11, 1.2e11, 0.005}};
  return record;
}

std::string case_name(int number) { return fmt::format("c{}", number); }

const std::vector<double>& z_values() {
  static const std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.5};
  return values;
}

std::vector<OutputData> synthetic_outputs() {
  const auto bytes = std::as_bytes(std::span(z_values()));
  return {{"elementwise", "z", bytes}, {"raw", "z", bytes}};
}

}  // namespace kernelbatch::test
