// view_file FILE: writes a made-up results file with everything that a page shows: twelve variants
// whose plan order is not alphabetical, every status, notes, outlying times and samples, long
// names. For the tests of the page; every number is invented.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "core/result/merged_writer.hpp"
#include "tests/report/history/made_up_files.hpp"

using namespace kernelbatch;

namespace {

struct Row {
  const char* variant;
  double time;  ///< of the smallest case, s
  Status status = Status::kOk;
  Phase phase = Phase::kNone;
  const char* reason = "";
  const char* notes = "";
};
constexpr Row kRows[] = {
    {"reference", 40e-6},
    {"zulu", 20e-6},
    {"yankee", 22e-6, Status::kOk, Phase::kNone, "", "the L2 cache is not flushed"},
    {"xray_with_a_name_that_is_longer_than_any_chart_has_room_for", 24e-6},
    {"whiskey", 21e-6},
    {"victor", 900e-6},
    {"uniform", 3e-3},
    {"tango", 23e-6},
    {"sierra", 25e-6},
    {"romeo", 26e-6},
    {"quebec", 19e-6},
    {"papa", 27e-6, Status::kSuspect, Phase::kMeasure,
     "a call takes 3 us, a kernel that does nothing 8.5 us"},
    {"oscar", 0, Status::kVerificationFailed, Phase::kVerify,
     "output 'y': 20000 of 20000 elements are wrong (rtol=1e-06 atol=0); first at [0]: got 2, "
     "expected 1"},
    {"november", 0, Status::kCompileFailed, Phase::kCompile,
     "cannot compile 'kernel': operation:2:5: expected primary-expression before ';' token"},
    {"mike", 0, Status::kSkipped, Phase::kLaunch, "the device has no cluster launch"},
    {"lima", 0, Status::kSkipped, Phase::kNone, "'oscar' failed its verification"}};

/// Most samples lie around the median; three do not.
void time_it(ResultRecord& r, double median) {
  constexpr int kSamples = 41;
  for (int k = 0; k < kSamples; ++k) {
    const bool is_far = r.variant == "zulu" && k >= kSamples - 3;
    const double time = median * (is_far ? 4.0 : 1 + 4e-4 * (k - kSamples / 2));
    r.samples.push_back({SampleKind::kCold, k, time});
  }
  r.cold.samples = kSamples;
  r.cold.median = median;
  r.cold.ci95_low = 0.98 * median;
  r.cold.ci95_high = 1.02 * median;
  r.stop_reason = "interval of 2 %";
}

ResultRecord result(const Row& row, std::int64_t place, std::int64_t size) {
  ResultRecord r;
  const std::int64_t n = 20'000 << size;
  r.case_id = fmt::format("{:016x}", 0x9e3779b97f4a7c15ull * static_cast<unsigned>(size + 1));
  r.workload = "blur";
  r.workload_version = "1";
  r.variant = row.variant;
  r.kind = place == 0 ? VariantKind::kReference : VariantKind::kRaw;
  r.device = "host Example CPU";
  r.status = row.status;
  r.phase = row.phase;
  r.reason = row.reason;
  r.notes = parse_notes(row.notes);
  r.plan_index = size;
  r.variant_index = place;
  r.run = r.start_ns = 1'790'000'000'000'000'000;
  r.end_ns = r.start_ns + 1'000'000;
  r.params = {{"n", n}, {"dtype", std::string("float32")}};
  if (row.time > 0) time_it(r, row.time * static_cast<double>(1 << size));
  r.bytes_read = r.bytes_written = 4.0 * static_cast<double>(n);
  r.flops = 8.0 * static_cast<double>(n);
  r.ceiling = 5e9;
  if (r.status == Status::kOk) {
    const double factor = kRows[0].time / row.time;
    r.speedup = factor;
    r.speedup_low = 0.97 * factor;
    r.speedup_high = 1.03 * factor;
    r.launches = {{fmt::format("blur_{}", row.variant), 0, {n / 256, 1, 1}, {256, 1, 1}, 0, 24}};
  }
  OutputRecord y;
  y.name = "y";
  y.dtype = DType::kFloat32;
  y.shape = {n};
  y.mode = place == 0 ? "reference" : "allclose";
  y.tolerance = "rtol=1e-06 atol=0";
  y.max_abs_err = y.max_rel_err = r.status == Status::kVerificationFailed ? 1 : 1e-8;
  y.mismatches = r.status == Status::kVerificationFailed ? n : 0;
  if (row.time > 0 || y.mismatches > 0) r.outputs = {y};
  return r;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) return 2;
  NewFile file(arguments[1]);
  MergedWriter writer(file, "kernelbatch test");
  writer.add({"host Example CPU", 1e-6, 5e9, 6e9, 0.3}, 0);
  const test::WithoutOutputs none;
  const EnvironmentRecord environment{{{"host", std::string("node1")}}};
  const JobRecord job{"view", "workload: blur  # as it was written\n",
                      "workload: blur\nseed: 20261\n", "cafe"};
  for (const std::int64_t size : {0, 1, 2}) {
    CollectedCase collected;
    std::int64_t place = 0;
    for (const Row& row : kRows)
      collected.results.push_back({result(row, place++, size), &environment, &job, &none});
    writer.add(collected);
  }
  writer.finish();
  file.commit(arguments[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
