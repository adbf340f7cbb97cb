// Supervisor: the searches of a job, after its cases.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "core/base/clock.hpp"
#include "core/base/text.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/running.hpp"
#include "core/run/search/shared_tries.hpp"
#include "core/run/search/tuning_search.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

/// Polling interval while other tasks run all remaining tries.
constexpr std::chrono::milliseconds kWait{200};

Try try_of(const ResultRecord& record, double spent_s) {
  return {record.status, record.cold, spent_s};
}

double seconds_of(const ResultRecord& record) {
  return record.end_ns > record.start_ns
             ? 1e-9 * static_cast<double>(record.end_ns - record.start_ns)
             : 0;
}

std::vector<Configuration> warm_start(const PlannedSearch& planned, const std::string& workload,
                                      const fs::path& job_folder) {
  const Scalar& file = planned.tune().start_from;
  if (file.text.empty()) return {};
  return earlier_best(planned, workload,
                      read_results(job_folder / file.text, {Samples::kOmit, false}).results);
}

}  // namespace

Supervisor::Continue Supervisor::run_searches(Running& running) {
  const fs::path file = fs::absolute(output_file(running.job));
  std::unique_ptr<SharedTries> shared;
  if (running.claims != nullptr)
    shared = std::make_unique<SharedTries>(
        shards_folder(file), !options_.is_resumed && options_.may_replace, *running.claims);
  const PlannedSearch* last = nullptr;
  for (const PlannedSearch& planned : running.plan.searches) {
    if (last == nullptr || !planned.is_of_same_problem(*last)) running.baselines.clear();
    last = &planned;
    if (run_search(running, planned, shared.get()) == Continue::kNo) return Continue::kNo;
  }
  return Continue::kYes;
}

Supervisor::Continue Supervisor::run_search(Running& running, const PlannedSearch& planned,
                                            const SharedTries* shared) {
  const PlannedWorkload& workload = running.plan.workloads[planned.workload()];
  TuningSearch search(planned,
                      warm_start(planned, workload.spec.kernels ? "" : workload.name,
                                 running.job.path.parent_path()),
                      options_.shard.index);
  const auto take_shared = [&](const ResultRecord& record) {
    if (record.variant != planned.variant() || record.workload != workload.name ||
        !planned.is_of_this_problem(record.params) ||
        !changes_since(record.made_of, ingredients_[planned.workload()], record.variant).empty())
      return;
    const auto configuration = planned.configuration_of(record.params);
    if (configuration && !search.knows(*configuration))
      search.tell(*configuration, try_of(record, seconds_of(record)));
  };
  Continue goes_on = Continue::kYes;
  std::optional<SharedTries> others;
  if (shared != nullptr) others = *shared;
  while (goes_on == Continue::kYes) {
    if (others) others->read(take_shared);
    const std::optional<Configuration> next = search.next();
    if (!next) break;
    goes_on = try_one(running, search, *next, others ? &*others : nullptr);
  }
  if (const std::string gain = search.gain_text(); !gain.empty())
    running.summary.remarks.push_back(
        fmt::format("{} {}: {}", workload.name, planned.variant(), gain));
  if (goes_on == Continue::kYes && !search.has_found()) ++running.summary.searches_without_result;
  return goes_on;
}

/// Kernels of this try and of the next ones, as far as they are known.
void Supervisor::compile_ahead(Running& running, const TuningSearch& search,
                               const Configuration& now) {
  constexpr std::size_t kAhead = 4;
  const PlannedSearch& planned = search.planned();
  std::vector<Configuration> next = search.upcoming(kAhead);
  next.insert(next.begin(), now);
  for (std::size_t k = 0; k < next.size(); ++k)
    compile_ahead(running,
                  {.case_id = planned.case_id(next[k]),
                   .workload = planned.workload(),
                   .params = planned.values(next[k]),
                   .variants = {planned.variant()}},
                  running.begun + k);
}

Supervisor::Continue Supervisor::try_one(Running& running, TuningSearch& search,
                                         const Configuration& configuration,
                                         const SharedTries* shared) {
  const PlannedSearch& planned = search.planned();
  const PlannedWorkload& workload = running.plan.workloads[planned.workload()];
  PlannedCase one{.case_id = planned.case_id(configuration),
                  .number = running.plan.all_cases + running.tries++,
                  .workload = planned.workload(),
                  .params = planned.values(configuration),
                  .drop_above = search.drop_above()};
  const auto is_known = [&](const std::string& name) {
    const std::vector<FinishedResult>& all = finished_.of(one.case_id);
    return std::ranges::find(all, name, &FinishedResult::variant) != all.end();
  };
  // The reference and the speed-up baseline are timed once per problem, together with the first
  // possible try.
  if (running.baselines.empty())
    for (const std::string& name : workload.variants)
      if (name != planned.variant() && (name == workload.reference || name == workload.baseline) &&
          (is_known(name) || !is_known(planned.variant())))
        one.variants.push_back(name);
  one.variants.push_back(planned.variant());
  std::vector<FinishedResult> known = finished_.take(one.case_id, one.variants);
  const bool is_claimed = shared != nullptr && known.empty();
  // Another task runs it and will report it.
  if (is_claimed && !shared->claim(one.case_id, planned.variant())) {
    std::this_thread::sleep_for(kWait);
    return Continue::kYes;
  }
  if (running.state.ahead != nullptr) compile_ahead(running, search, configuration);
  const auto begin = MeasuringClock::now();
  bool is_told = false;
  running.on_result = [&](const ResultRecord& record) {
    if (record.variant == workload.baseline && record.status == Status::kOk &&
        running.baselines.empty())
      running.baselines.push_back(record);
    if (record.variant != planned.variant()) return;
    is_told = true;
    const bool is_new = record.run == running.state.number;
    search.tell(configuration, try_of(record, is_new ? seconds_since(begin) : seconds_of(record)));
  };
  const Continue goes_on = run_case(running, one, std::move(known));
  running.on_result = nullptr;
  if (is_claimed) shared->release(one.case_id, planned.variant());
  // It is never tried again, whatever its outcome.
  if (goes_on == Continue::kYes && !is_told) search.tell(configuration, {});
  return goes_on;
}

}  // namespace kernelbatch
