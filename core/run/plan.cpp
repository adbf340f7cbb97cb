#include "core/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error_list.hpp"
#include "core/device/device_list.hpp"
#include "core/inline/case.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/reader.hpp"
#include "core/job/resolved.hpp"
#include "core/job/yaml_writer.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/partition.hpp"
#include "core/run/plan_workload.hpp"
#include "core/run/search/plan_searches.hpp"
#include "core/run/swept_workload.hpp"

namespace kernelbatch {

std::size_t Plan::results() const {
  std::size_t count = 0;
  for (const PlannedCase& each : cases) count += workloads[each.workload].variants.size();
  for (const PlannedSearch& search : searches) count += search.most_tries();
  return count;
}

namespace {

/// Number of this entry among inline-kernel entries with the same declarations: from 1, and equal
/// if the kernels are equal too.
int number_among(const PlannedWorkload& planned, const std::vector<PlannedWorkload>& before) {
  if (!planned.spec.kernels) return 1;
  const auto axes = [](const PlannedWorkload& of) {
    std::vector<std::string> names;
    for (const Axis& axis : of.spec.params) names.push_back(axis.name);
    return names;
  };
  const auto text_of = [](const InlineSpec& kernels) { return write_yaml(to_node(kernels)); };
  const std::string text = text_of(*planned.spec.kernels);
  int number = 1;
  for (const PlannedWorkload& other : before) {
    if (!other.spec.kernels || other.info.version != planned.info.version ||
        axes(other) != axes(planned))
      continue;
    if (text_of(*other.spec.kernels) == text) return other.number;
    number = std::max(number, other.number + 1);
  }
  return number;
}

SweptWorkload swept(const PlannedWorkload& planned, std::size_t allowed_cases) {
  const ScalarTyper typer = [&](const std::string& name, const Scalar& scalar) {
    const auto declared =
        std::find_if(planned.info.parameters.begin(), planned.info.parameters.end(),
                     [&](const ParameterDeclaration& p) { return p.name == name; });
    return at_place(scalar.place, "", [&] { return typed_value(*declared, scalar.text); });
  };
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const InputSpec& input : planned.spec.inputs)
    inputs.emplace_back(input.name, describe_input(input));
  if (planned.number > 1) inputs.emplace_back("#", std::to_string(planned.number));
  return {planned.info.name, planned.info.version, std::move(inputs),
          Sweep(planned.spec, typer, allowed_cases)};
}

bool is_searched(const PlannedWorkload& planned) {
  return planned.spec.tune && planned.spec.tune->is_searched();
}

/// Cases of a part, assigned by cost.
std::vector<OwnCase> partition(const Plan& plan,
                               const std::vector<std::shared_ptr<const SweptWorkload>>& workloads,
                               const std::string& folder, const JobShard& shard,
                               const FootprintsOf& footprints) {
  std::vector<double> costs;
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    const Sweep& sweep = workloads[k]->sweep;
    if (is_searched(planned)) continue;
    const CostModel model(sweep, footprints_of(planned, folder, footprints),
                          planned.variants.size());
    sweep.for_each_place([&](std::span<const std::size_t> at) {
      if (workloads.size() > 1 && !seen.insert(workloads[k]->id_of(sweep.combination(at))).second)
        return;
      costs.push_back(model.of(at));
    });
  }
  return own_cases(costs, shard);
}

/// A case of two entries must be equal in both: throws SpecError if the entries differ.
void check_repeated(const Plan& plan, std::size_t first, std::size_t second,
                    const NamedValues& values) {
  const PlannedWorkload& one = plan.workloads[first];
  const PlannedWorkload& other = plan.workloads[second];
  const auto has = [&](const std::string& variant) {
    return std::ranges::find(one.variants, variant) != one.variants.end();
  };
  const auto verify_of = [](const PlannedWorkload& planned) {
    VerifySpec verify = planned.spec.verify;
    verify.reference.text = planned.reference;
    return to_yaml(verify);
  };
  // Defaults depend on the requested variants.
  const bool has_other_baseline =
      one.baseline != other.baseline &&
      !(one.spec.baseline.text.empty() && other.spec.baseline.text.empty());
  const char* what = !std::ranges::all_of(other.variants, has) ? "other variants"
                     : one.reference != other.reference        ? "another reference"
                     : has_other_baseline                      ? "another baseline"
                     : verify_of(one) != verify_of(other)      ? "another `verify`"
                                                               : nullptr;
  if (what == nullptr) return;
  fail_at(other.spec.place,
          fmt::format("{} is a case of the entry on line {}, too, with {}: a case is run once, so "
                      "a single entry must have all of its settings",
                      to_text(values), one.spec.place.line, what));
}

/// Plans all entries of `workloads:`, and collects their errors.
std::vector<std::shared_ptr<const SweptWorkload>> plan_workloads(const JobSpec& job,
                                                                 const Describe& describe,
                                                                 std::size_t allowed_cases,
                                                                 Plan& plan, ErrorList& errors) {
  const std::string folder = job.path.parent_path().string();
  std::vector<std::shared_ptr<const SweptWorkload>> workloads;
  std::size_t total = 0;
  for (const WorkloadSpec& spec : job.workloads)
    errors.attempt([&] {
      PlannedWorkload planned = plan_workload(spec, describe, folder);
      planned.name = spec.kernels ? job.name : planned.info.name;
      planned.number = number_among(planned, plan.workloads);
      workloads.push_back(std::make_shared<SweptWorkload>(swept(planned, allowed_cases)));
      plan.workloads.push_back(std::move(planned));
      total += workloads.back()->sweep.size();
      check_case_limit(total, allowed_cases, "the job", spec.place);
    });
  return workloads;
}

/// Adds the cases of a job's part, in order.
class CaseList {
 public:
  /// `own`: the part's cases; nothing: all are.
  CaseList(Plan& plan, ErrorList& errors, std::optional<std::vector<OwnCase>> own,
           std::string folder)
      : plan_(plan),
        errors_(errors),
        own_(std::move(own)),
        folder_(std::move(folder)),
        may_repeat_(plan.workloads.size() > 1) {}

  /// Adds those of the entry `index` of `workloads:`.
  void add(const SweptWorkload& workload, std::size_t index) {
    is_refused_ = false;
    workload.sweep.for_each_place([&](std::span<const std::size_t> at) {
      const bool is_own = !own_ || (next_ < own_->size() && (*own_)[next_].number == number_);
      if (!is_own && !may_repeat_) {
        ++number_;
        return;
      }
      NamedValues values = workload.sweep.combination(at);
      std::string id = workload.id_of(values);
      if (may_repeat_ && is_repeated(id, index, values)) return;
      ++number_;
      if (is_own) add_own(index, std::move(id), std::move(values));
    });
  }

  std::size_t all() const noexcept { return number_; }

 private:
  /// Entries of `workloads:` may share a case; it runs once.
  bool is_repeated(const std::string& id, std::size_t index, const NamedValues& values) {
    const auto [found, is_new] = seen_.emplace(id, index);
    if (is_new) return false;
    const std::size_t first = found->second;
    is_refused_ =
        is_refused_ || !errors_.attempt([&] { check_repeated(plan_, first, index, values); });
    return true;
  }

  void add_own(std::size_t index, std::string id, NamedValues values) {
    // A fault in one case usually affects all: only the first of each workload is reported.
    is_refused_ = is_refused_ ||
                  !errors_.attempt([&] { check_case(plan_.workloads[index], values, folder_); });
    if (is_refused_) return;
    PlannedCase& added = plan_.cases.emplace_back(
        PlannedCase{std::move(id), number_ - 1, index, std::move(values), {}});
    if (!own_) return;
    added.rank = (*own_)[next_].rank;
    added.cost = (*own_)[next_++].cost;
  }

  Plan& plan_;
  ErrorList& errors_;
  std::optional<std::vector<OwnCase>> own_;
  std::string folder_;
  bool may_repeat_;  ///< cases are unique within one entry
  bool is_refused_ = false;
  std::size_t next_ = 0;                               ///< in own_
  std::size_t number_ = 0;                             ///< of the next case of the job
  std::unordered_map<std::string, std::size_t> seen_;  ///< entry of the case
};

}  // namespace

Plan make_plan(const JobSpec& job, const Describe& describe, std::size_t allowed_cases,
               const JobShard& shard, const FootprintsOf& footprints) {
  ErrorList errors;
  if (!is_device_selector(job.device.text))
    errors.attempt(
        [&] { with_place(job.device.place, "device", [&] { choose_device(job.device.text); }); });
  const std::string folder = job.path.parent_path().string();
  Plan plan;
  const auto workloads = plan_workloads(job, describe, allowed_cases, plan, errors);
  errors.raise();
  std::optional<std::vector<OwnCase>> own;
  if (shard.count > 1) own = partition(plan, workloads, folder, shard, footprints);
  CaseList cases(plan, errors, std::move(own), folder);
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    if (is_searched(plan.workloads[k]))
      errors.attempt([&] { add_searches(plan, k, workloads[k], allowed_cases, folder); });
    else
      cases.add(*workloads[k], k);
  }
  errors.raise();
  plan.all_cases = cases.all();
  return plan;
}

JobSpec resolved(const JobSpec& job, const Plan& plan) {
  JobSpec full = job;
  for (std::size_t k = 0; k < full.workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    WorkloadSpec& spec = full.workloads[k];
    spec = planned.spec;
    spec.baseline.text = planned.baseline;
    if (spec.kernels) continue;
    spec.variants.clear();
    for (const std::string& variant : planned.variants)
      spec.variants.push_back({variant, {}, false});
    if (!spec.verify.reference_file) spec.verify.reference.text = planned.reference;
  }
  return full;
}

}  // namespace kernelbatch
