// scale_benchmark FOLDER CASES TASKS [MERGED]: prints the costs of a job of many cases: its plan, a
// task's part of the plan, and a merge of MERGED made-up cases in the folders of the tasks that
// would have stored them.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>

#include "core/job/parse.hpp"
#include "core/result/merge.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/plan.hpp"
#include "tests/result/synthetic.hpp"

using namespace kernelbatch;

namespace {

WorkloadInfo declared(const std::string&) {
  WorkloadInfo info;
  info.name = "demo";
  info.version = "1";
  for (const char* name : {"n", "m", "k"})
    info.parameters.push_back(integer_parameter(name, 1, 1, 1e9, ""));
  info.variants = {{"reference", VariantKind::kReference, "", nullptr},
                   {"raw", VariantKind::kRaw, "", nullptr}};
  return info;
}

/// A line of /proc/self/status in MB: `VmRSS`, the memory held, or `VmHWM`, the most held.
double memory_mb(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;)
    if (double kilobytes = 0; name == line + ":" && status >> kilobytes) return kilobytes / 1024;
  return 0;
}

/// Sets VmHWM back to what is held now (proc(5), clear_refs).
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5\n"; }

template <class Work>
void time(const std::string& what, const Work& work) {
  forget_peak();
  const double before = memory_mb("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{:<44} {:8.3f} s ({:.3f} s CPU), peak {:.0f} MB, {:.0f} before\n", what,
             seconds.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC,
             memory_mb("VmHWM"), before);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 4) return 2;
  const std::filesystem::path file = std::filesystem::path(arguments[1]) / "scale.h5";
  const std::size_t cases = std::strtoull(arguments[2], nullptr, 10);
  const std::size_t tasks = std::strtoull(arguments[3], nullptr, 10);
  const std::size_t merged = count > 4 ? std::strtoull(arguments[4], nullptr, 10) : 0;
  const auto side = static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(cases))));
  const JobSpec job = parse_job(
      fmt::format("workload: /dev/null\nparams: {{n: {{range: [1, {0}, 1]}}, m: {{range: [1, {0}, "
                  "1]}}, k: {{range: [1, {0}, 1]}}}}\n",
                  side),
      "scale.yaml");
  const std::size_t allowed = side * side * side;

  Plan part;
  time(fmt::format("plan of one of {} tasks", tasks), [&] {
    part = make_plan(job, declared, allowed, {tasks / 2, tasks});
  });
  fmt::print("  {} of {} cases\n", part.cases.size(), allowed);
  Plan plan;
  time(fmt::format("plan of {} cases", allowed), [&] { plan = make_plan(job, declared, allowed); });
  if (merged == 0) return 0;

  CaseRecord record = test::synthetic_case("c", 1, 10);
  const std::size_t folders = std::max<std::size_t>(merged * tasks / allowed, 1);
  time(fmt::format("{} shards written into {} folders", merged, folders), [&] {
    for (std::size_t k = 0; k < merged; ++k) {
      record.case_id = plan.cases[k].case_id;
      for (ResultRecord& result : record.results) result.case_id = record.case_id;
      write_shard(shard_folder(file, fmt::format("{}-of-{}", k % folders + 1, folders)), record,
                  {});
    }
  });
  std::vector<PlannedCase> own_cases;
  for (std::size_t k = 0; k < merged; k += folders) own_cases.push_back(plan.cases[k]);
  std::vector<const PlannedCase*> own;
  for (const PlannedCase& each : own_cases) own.push_back(&each);
  plan = {};
  ::malloc_trim(0);
  time(fmt::format("{} earlier results of a task found", own.size()), [&] {
    const FinishedResults finished(file, own);
    for (const PlannedCase* each : own)
      if (finished.of(each->case_id).empty()) fmt::print("{} is missing\n", each->case_id);
  });
  time(fmt::format("{} shards merged", merged),
       [&] { merge_shards(file, {.source = "scale_benchmark"}); });
  time(fmt::format("{} earlier results of a task found, merged", own.size()), [&] {
    const FinishedResults finished(file, own);
    for (const PlannedCase* each : own)
      if (finished.of(each->case_id).empty()) fmt::print("{} is missing\n", each->case_id);
  });
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
