#include "core/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

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
  const char* what = !std::ranges::all_of(other.variants, has) ? "other variants"
                     : one.reference != other.reference        ? "another reference"
                     : one.baseline != other.baseline          ? "another baseline"
                     : verify_of(one) != verify_of(other)      ? "another `verify`"
                                                               : nullptr;
  if (what == nullptr) return;
  fail_at(other.spec.place,
          fmt::format("{} is a case of the entry on line {}, too, with {}: a case is run once, so "
                      "a single entry must have all of its settings",
                      to_text(values), one.spec.place.line, what));
}

/// A single invalid combination of a search costs a try; if all of the first ones are invalid, the
/// job is.
void check_some(const PlannedWorkload& planned, const PlannedSearch& search,
                const Configuration& first, const std::string& folder) {
  constexpr int kMost = 64;
  const SearchSpace space = search.space();
  const auto any = [](std::uint64_t) { return true; };
  std::exception_ptr wrong;
  std::optional<Configuration> one = first;
  for (int k = 0; k < kMost; ++k) {
    try {
      return check_case(planned, search.values(*one), folder);
    } catch (const SpecError&) {
      if (!wrong) wrong = std::current_exception();
    }
    const std::uint64_t next = space.number_of(*one) + 1;
    one = space.next(next == space.combinations() ? 0 : next, any);
    if (!one || *one == first) break;
  }
  std::rethrow_exception(wrong);
}

/// Adds a search for each variant of each combination of the parameters that are not searched.
void add_searches(Plan& plan, std::size_t index, const std::shared_ptr<const SweptWorkload>& swept,
                  std::size_t allowed_cases, const std::string& folder) {
  const PlannedWorkload& planned = plan.workloads[index];
  const TuneSpec& tune = *planned.spec.tune;
  const std::filesystem::path job_folder = folder;
  const std::vector<std::size_t> lengths = swept->sweep.group_lengths();
  const std::vector<std::size_t> others = PlannedSearch::other_groups(swept->sweep, tune);
  std::size_t problems = 1;
  for (const std::size_t group : others) problems *= lengths[group];
  check_case_limit(problems, allowed_cases, fmt::format("'{}'", planned.info.name),
                   planned.spec.place);
  if (!tune.start_from.text.empty() && !std::filesystem::exists(job_folder / tune.start_from.text))
    fail_at(tune.start_from.place, fmt::format("'start_from': there is no file '{}'",
                                               (job_folder / tune.start_from.text).string()));
  std::vector<std::string> variants = planned.variants;
  if (variants.size() > 1) std::erase(variants, planned.reference);
  std::vector<std::size_t> at(lengths.size(), 0);
  for (std::size_t problem = 0; problem < problems; ++problem) {
    std::size_t rest = problem;
    for (auto group = others.rbegin(); group != others.rend(); ++group) {
      at[*group] = rest % lengths[*group];
      rest /= lengths[*group];
    }
    for (const std::string& variant : variants) {
      PlannedSearch search(index, variant, swept, tune, at);
      const auto first = search.space().next(0, [](std::uint64_t) { return true; });
      // The filters exclude all combinations of this problem.
      if (!first) continue;
      if (plan.searches.empty() || plan.searches.back().workload() != index)
        check_some(planned, search, *first, folder);
      plan.searches.push_back(std::move(search));
    }
  }
  if (plan.searches.empty() || plan.searches.back().workload() != index)
    fail_at(planned.spec.exclude.front().place, "'exclude' leaves no case: every one is excluded");
}

}  // namespace

Plan make_plan(const JobSpec& job, const Describe& describe, std::size_t allowed_cases,
               const JobShard& shard, const FootprintsOf& footprints) {
  ErrorList errors;
  if (!is_device_selector(job.device.text))
    errors.attempt(
        [&] { with_place(job.device.place, "device", [&] { choose_device(job.device.text); }); });
  const std::string folder = job.path.parent_path().string();
  Plan plan;
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
  errors.raise();
  const bool is_partitioned = shard.count > 1;
  std::vector<OwnCase> own;
  if (is_partitioned) own = partition(plan, workloads, folder, shard, footprints);
  auto next = own.begin();
  std::unordered_map<std::string, std::size_t> seen;  // entry of the case
  // Cases are unique within one entry of `workloads:`.
  const bool may_repeat = workloads.size() > 1;
  std::size_t number = 0;
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    const Sweep& sweep = workloads[k]->sweep;
    if (is_searched(planned)) {
      errors.attempt([&] { add_searches(plan, k, workloads[k], allowed_cases, folder); });
      continue;
    }
    bool is_refused = false;
    sweep.for_each_place([&](std::span<const std::size_t> at) {
      const bool is_own = !is_partitioned || (next != own.end() && next->number == number);
      if (!is_own && !may_repeat) {
        ++number;
        return;
      }
      NamedValues values = sweep.combination(at);
      std::string id = workloads[k]->id_of(values);
      // Entries of `workloads:` may share a case; it runs once.
      if (may_repeat) {
        const auto found = seen.emplace(id, k);
        const std::size_t first = found.first->second;
        const bool is_new = found.second;
        if (!is_new && !is_refused)
          is_refused = !errors.attempt([&] { check_repeated(plan, first, k, values); });
        if (!is_new) return;
      }
      ++number;
      if (!is_own) return;
      // A fault in one case usually affects all: only the first of each workload is reported.
      if (is_refused || !errors.attempt([&] { check_case(planned, values, folder); })) {
        is_refused = true;
        return;
      }
      PlannedCase& added =
          plan.cases.emplace_back(PlannedCase{std::move(id), number - 1, k, std::move(values), {}});
      if (is_partitioned) added.rank = next++->rank;
    });
  }
  errors.raise();
  plan.all_cases = number;
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
