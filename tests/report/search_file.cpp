// search_file FILE TRIES [odd]: writes a results file of made-up searches over parameters with
// known effects. `odd`: searches with missing data instead. For the tests of reports; every number
// is invented.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "core/result/merged_writer.hpp"

using namespace kernelbatch;

namespace {

class NoArrays final : public OutputSource {
 public:
  bool has_digests() const noexcept override { return true; }
  std::vector<std::string> outputs(std::string_view, std::string_view) const override { return {}; }
  std::optional<h5::Dataset> output(std::string_view, std::string_view,
                                    std::string_view) const override {
    return std::nullopt;
  }
};

constexpr std::int64_t kBegin = 1'760'000'000'000'000'000, kSecond = 1'000'000'000;

ResultRecord try_of(const std::string& workload, const std::string& tuned, std::int64_t number,
                    NamedValues params) {
  ResultRecord r;
  r.workload = workload;
  r.workload_version = "1";
  r.variant = "raw";
  r.kind = VariantKind::kRaw;
  r.device = "Example GPU";
  r.tuned = tuned;
  r.run = kBegin;
  r.plan_index = number;
  r.start_ns = kBegin + number * kSecond;
  r.end_ns = r.start_ns + kSecond / 2;
  r.params = std::move(params);
  r.status = Status::kOk;
  return r;
}

void time_it(ResultRecord& r, double median) {
  r.cold.median = r.cold.mean = median;
  r.cold.min = r.cold.ci95_low = 0.99 * median;
  r.cold.max = r.cold.ci95_high = 1.01 * median;
  r.cold.samples = 10;
  r.stop_reason = "interval of 1 %";
}

void fail(ResultRecord& r, Status status, Phase phase, const std::string& reason) {
  r.status = status;
  r.phase = phase;
  r.reason = reason;
}

/// Blocks of 2048 do not compile. The time doubles with each value of `items` and grows by a half
/// with each step of `block`; `lanes` has no effect. Every fifth is dropped, unless it is good.
ResultRecord usual_try(std::int64_t number) {
  constexpr std::int64_t kBlocks = 6, kItems = 4, kLanes = 3, kTiles = 1000;
  // Neighbours in time are not neighbours in the space: 7919 is prime.
  const std::int64_t place = number * 7919 % (kBlocks * kItems * kLanes * kTiles);
  const std::int64_t block = place % kBlocks, items = place / kBlocks % kItems,
                     lanes = place / (kBlocks * kItems) % kLanes,
                     tile = place / (kBlocks * kItems * kLanes);
  ResultRecord r =
      try_of("usual", "block items lanes tile", number,
             {{"n", std::int64_t{1 << 20}},
              {"block", std::int64_t{64} << block},
              {"items", std::int64_t{1} << items},
              {"lanes", lanes == 0 ? Value(std::string("auto")) : Value(std::int64_t{lanes})},
              {"tile", tile}});
  if (block == kBlocks - 1) {
    fail(r, Status::kCompileFailed, Phase::kCompile,
         fmt::format("a block of 2048 threads is too large for tile {}", tile));
    return r;
  }
  double time = 1e-4 * static_cast<double>(std::int64_t{1} << items);
  for (std::int64_t k = 0; k < block; ++k) time *= 1.5;
  time_it(r, time * (1 + 1e-5 * static_cast<double>(number % 10)));
  if (number % 5 == 4 && items > 0) {
    fail(r, Status::kDropped, Phase::kMeasure, "its first sample is above what the best allows");
    r.cold = {.median = time};
    r.cold.samples = 1;
  }
  return r;
}

std::vector<ResultRecord> odd_tries() {
  std::vector<ResultRecord> all;
  for (std::int64_t k = 0; k < 4; ++k) {
    all.push_back(try_of("all failed", "block", k, {{"block", k}}));
    fail(all.back(), Status::kCrashed, Phase::kRun, "killed by signal 11");
    all.push_back(try_of("all the same", "block items", k, {{"block", k / 2}, {"items", k % 2}}));
    time_it(all.back(), 1e-3);
    all.push_back(try_of("no times", "block", k,
                         {{"block", k == 0 ? Value(0.5) : Value(std::to_string(k))}}));
    if (k == 3) time_it(all.back(), 2e-3);
    all.push_back(try_of("one parameter", "layout", k,
                         {{"layout", std::string(k % 2 == 0 ? "row" : "<b>column</b>")}}));
    time_it(all.back(), k % 2 == 0 ? 1e-3 : 3e-3);
  }
  all.push_back(
      try_of("one try", "block items", 0, {{"block", std::int64_t{64}}, {"items", true}}));
  time_it(all.back(), 5e-6);
  all.push_back(try_of("only dropped", "a_parameter_with_a_long_name", 0,
                       {{"a_parameter_with_a_long_name", std::int64_t{1}}}));
  fail(all.back(), Status::kDropped, Phase::kMeasure, "too slow");
  all.back().cold.median = 1e-3;
  all.back().start_ns = all.back().end_ns = -1;
  return all;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 3) return 2;
  std::vector<ResultRecord> tries;
  if (count > 3 && std::string_view(arguments[3]) == "odd")
    tries = odd_tries();
  else
    for (std::int64_t k = 0; k < std::atoll(arguments[2]); ++k) tries.push_back(usual_try(k));
  for (std::size_t k = 0; k < tries.size(); ++k)
    tries[k].case_id = fmt::format("{:016x}", 0x9e3779b97f4a7c15ull * (k + 1));
  std::ranges::sort(tries, comes_before, &ResultRecord::case_id);
  NewFile file(arguments[1]);
  MergedWriter writer(file, "kernelbatch test");
  const NoArrays none;
  const EnvironmentRecord environment{{{"host", std::string("node1")}}};
  const JobRecord job{"search", "tune: {}\n", "tune: {}\n", "cafe"};
  for (const ResultRecord& record : tries) {
    CollectedCase collected;
    collected.results.push_back({record, &environment, &job, &none});
    writer.add(collected);
  }
  writer.finish();
  file.commit(arguments[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
