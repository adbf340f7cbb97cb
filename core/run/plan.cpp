#include "core/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error_list.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/inline/case.hpp"
#include "core/inline/reference.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/reader.hpp"
#include "core/job/resolved.hpp"
#include "core/job/yaml_writer.hpp"
#include "core/run/partition.hpp"
#include "core/run/swept_workload.hpp"
#include "core/verify/input_source.hpp"
#include "core/verify/reference_file.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch {
namespace {

template <class List, class Name>
std::vector<std::string> names_of(const List& list, const Name& name) {
  std::vector<std::string> names;
  for (const auto& each : list) names.push_back(name(each));
  return names;
}

void require_known(const Scalar& scalar, const std::vector<std::string>& known,
                   std::string_view what, const std::string& workload) {
  if (std::find(known.begin(), known.end(), scalar.text) == known.end())
    fail_at(scalar.place, fmt::format("workload '{}' has no {} '{}'{}", workload, what, scalar.text,
                                      suggestion(scalar.text, known)));
}

/// The parameters as axes in the order of declaration, defaults filled in; tuning parameters only
/// where the job sets them.
std::vector<Axis> complete_axes(const WorkloadSpec& spec, const WorkloadInfo& info) {
  const auto known = names_of(info.parameters, [](const auto& p) { return p.name; });
  ErrorList errors;
  for (const Axis& axis : spec.params)
    if (std::find(known.begin(), known.end(), axis.name) == known.end())
      errors.add(SpecError(fmt::format("workload '{}' has no parameter '{}'{}", info.name,
                                       axis.name, suggestion(axis.name, known)),
                           axis.place));
  errors.raise();
  std::vector<Axis> axes;
  for (const ParameterDeclaration& declared : info.parameters) {
    const auto given = std::find_if(spec.params.begin(), spec.params.end(),
                                    [&](const Axis& axis) { return axis.name == declared.name; });
    if (given != spec.params.end())
      axes.push_back(*given);
    else if (!declared.is_tuning)
      axes.push_back(
          {declared.name, {{to_text(declared.default_value), spec.place, false}}, spec.place});
  }
  return axes;
}

void check_outputs(const WorkloadSpec& spec, const WorkloadInfo& info) {
  const auto known = names_of(info.outputs, [](const auto& output) { return output.first; });
  ErrorList errors;
  for (const auto& output : spec.verify.outputs)
    errors.attempt([&] {
      require_known({output.first, output.second.place, false}, known, "output", info.name);
    });
  errors.raise();
}

void check_inputs(const WorkloadSpec& spec, const WorkloadInfo& info) {
  const auto known = names_of(info.inputs, [](const auto& input) { return input.name; });
  ErrorList errors;
  for (const InputSpec& input : spec.inputs)
    errors.attempt([&] {
      require_known({input.name, input.place, false}, known, "input", info.name);
    });
  errors.raise();
}

/// Of `known`, in its order, those that are asked for; all where none is.
std::vector<std::string> wanted_of(const std::vector<std::string>& known, const WorkloadSpec& spec,
                                   const std::string& workload) {
  ErrorList errors;
  for (const Scalar& variant : spec.variants)
    errors.attempt([&] { require_known(variant, known, "variant", workload); });
  errors.raise();
  std::vector<std::string> wanted;
  for (const std::string& name : known)
    if (spec.variants.empty() ||
        std::ranges::find(spec.variants, name, &Scalar::text) != spec.variants.end())
      wanted.push_back(name);
  return wanted;
}

/// Kernels in the job: what they are verified against stands beside them.
PlannedWorkload plan_inline(const WorkloadSpec& spec) {
  PlannedWorkload planned;
  planned.spec = spec;
  planned.info = inline_info(spec);
  if (!spec.verify.reference.text.empty() || spec.verify.reference_file)
    fail_at(spec.verify.reference_file ? spec.verify.reference_file->file.place
                                       : spec.verify.reference.place,
            "of inline kernels the reference is given by 'reference: {variant: name}'");
  planned.reference = inline_reference(*spec.kernels);
  const bool has_cpp = spec.kernels->reference.find("cpp") != nullptr;
  // Values and files are not computed: there is no time to show for them.
  std::vector<std::string> known;
  if (planned.reference == "reference" && has_cpp) known.push_back("reference");
  for (const InlineVariant& variant : spec.kernels->variants) known.push_back(variant.name);
  planned.variants = wanted_of(known, spec, planned.info.name);
  planned.baseline = spec.baseline.text.empty() ? known.front() : spec.baseline.text;
  require_known({planned.baseline, spec.baseline.place, false}, known, "variant",
                planned.info.name);
  return planned;
}

/// What a plugin declares becomes names of files and of datasets.
void check_declared_names(const WorkloadInfo& info, const SourcePlace& place) {
  const auto check = [&](const std::string& name, std::string_view what) {
    if (!is_plain_name(name))
      fail_at(place,
              fmt::format("workload '{}' declares the {} '{}': letters, digits, '_', '-', '.' and "
                          "'+' only, beginning with none of the last three",
                          visible_line(info.name), what, visible_line(name)));
  };
  check(info.name, "name");
  for (const auto& variant : info.variants) check(variant.name, "variant");
  for (const auto& input : info.inputs) check(input.name, "input");
  for (const auto& [name, tolerance] : info.outputs) check(name, "output");
}

/// Names of files that a case's variants will have: 255 bytes are what file systems take.
void check_lengths(const std::vector<std::string>& variants,
                   const std::vector<std::string>& outputs, const SourcePlace& place) {
  constexpr std::size_t kLongest = 255, kCaseAndSuffix = 16 + std::string_view("...raw").size();
  for (const std::string& variant : variants)
    for (const std::string& output : outputs)
      if (variant.size() + output.size() + kCaseAndSuffix > kLongest)
        fail_at(place,
                fmt::format("the names of variant '{}' and output '{}' have {} bytes: with a "
                            "case's id they are a file's name, so at most {}",
                            variant, output, variant.size() + output.size(),
                            kLongest - kCaseAndSuffix));
}

PlannedWorkload plan_workload(const WorkloadSpec& spec, const Describe& describe) {
  if (spec.kernels) return plan_inline(spec);
  PlannedWorkload planned;
  planned.spec = spec;
  planned.plugin =
      at_place(spec.workload.place, "", [&] { return plugin_path(spec.workload.text).string(); });
  planned.info = at_place(spec.workload.place, "", [&] { return describe(planned.plugin); });
  const auto known = names_of(planned.info.variants, [](const auto& v) { return v.name; });
  check_declared_names(planned.info, spec.workload.place);
  check_lengths(known, names_of(planned.info.outputs, [](const auto& o) { return o.first; }),
                spec.workload.place);
  ErrorList errors;
  const auto require_variant = [&](const std::string& name, const SourcePlace& place) {
    errors.attempt([&] {
      require_known({name, place, false}, known, "variant", planned.info.name);
    });
  };
  errors.attempt([&] { planned.variants = wanted_of(known, spec, planned.info.name); });
  if (!spec.verify.reference_file) {
    planned.reference =
        spec.verify.reference.text.empty() ? "reference" : spec.verify.reference.text;
    require_variant(planned.reference, spec.verify.reference.place);
  }
  planned.baseline = spec.baseline.text.empty() ? "reference" : spec.baseline.text;
  require_variant(planned.baseline, spec.baseline.place);
  errors.attempt([&] { planned.spec.params = complete_axes(spec, planned.info); });
  errors.attempt([&] { check_outputs(spec, planned.info); });
  errors.attempt([&] { check_inputs(spec, planned.info); });
  errors.raise();
  return planned;
}

std::string text_of(DType dtype, const Shape& shape) {
  return fmt::format("{} {}", name_of(dtype), to_text(shape));
}

/// Whether a job's input has the form that the workload declares for these parameters.
void check_form(const MadeInput& made, const InputDeclaration& declared, const SourcePlace& place,
                const Params& params, const NamedValues& values) {
  Shape shape;
  std::vector<std::string> said;
  const auto say = [&](const std::string& name) {
    for (const auto& [each, value] : values) {
      std::string text = fmt::format("{}: {}", name, to_text(value));
      if (each == name && std::ranges::find(said, text) == said.end())
        said.push_back(std::move(text));
    }
  };
  for (const std::string& extent : declared.extents) {
    const bool is_number = extent.find_first_not_of("0123456789") == std::string::npos;
    shape.push_back(is_number ? std::stoll(extent) : params.integer(extent));
    say(extent);
  }
  const DType dtype = declared.dtype.empty() ? params.dtype() : dtype_named(declared.dtype).value();
  if (declared.dtype.empty()) say("dtype");
  const Shape given = made.scalar ? Shape{} : made.array.shape();
  const DType given_dtype =
      made.scalar ? made.dtype.value_or(dtype_of(*made.scalar)) : made.array.dtype();
  if (given_dtype == dtype && given == shape) return;
  fail_at(place, fmt::format("input '{}' is {}; with {} the workload takes {}", made.name,
                             text_of(given_dtype, given), join(said), text_of(dtype, shape)));
}

/// All that can be known of a case without its data.
void check_case(const PlannedWorkload& planned, const NamedValues& values,
                const std::string& folder) {
  const WorkloadSpec& spec = planned.spec;
  if (!spec.kernels) {
    const auto made = make_inputs(spec.inputs, values, folder, MakeInputs::kForms);
    const Params params(values, planned.info.parameters);
    ErrorList errors;
    for (const InputSpec& input : spec.inputs) {
      const auto form = std::ranges::find(made, input.name, &MadeInput::name);
      const auto declared =
          std::ranges::find(planned.info.inputs, input.name, &InputDeclaration::name);
      if (form != made.end() && !declared->extents.empty())
        errors.attempt([&] { check_form(*form, *declared, input.place, params, values); });
    }
    errors.raise();
    if (spec.verify.reference_file) require_reference_file(*spec.verify.reference_file, folder);
    return;
  }
  const auto problem =
      make_inline_problem(*spec.kernels, spec.inputs, values, folder, MakeInputs::kForms);
  std::vector<std::string> outputs;
  for (const InlineVariant& variant : spec.kernels->variants)
    for (const OutputArray& output : problem->outputs_of(variant.name)) {
      check_lengths({variant.name}, {output.name}, variant.place);
      outputs.push_back(output.name);
    }
  for (const auto& [name, tolerance] : spec.verify.outputs)
    require_known({name, tolerance.place, false}, outputs, "output", "inline");
}

}  // namespace

std::size_t Plan::results() const {
  std::size_t count = 0;
  for (const PlannedCase& each : cases) count += workloads[each.workload].variants.size();
  for (const PlannedSearch& search : searches) count += search.most_tries();
  return count;
}

namespace {

/// Which of the entries of inline kernels this is that declare the same: from 1, and equal for
/// entries whose kernels are equal, too.
int number_among(const PlannedWorkload& planned, const std::vector<PlannedWorkload>& before) {
  if (!planned.spec.kernels) return 1;
  const auto axes = [](const PlannedWorkload& of) {
    return names_of(of.spec.params, [](const Axis& axis) { return axis.name; });
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

/// Bytes that the first variant of inline cases moves.
std::vector<double> inline_footprints(const WorkloadSpec& spec, const std::string& folder,
                                      const std::vector<NamedValues>& cases) {
  std::vector<double> bytes;
  for (const NamedValues& values : cases) {
    double total = 0;
    try {
      const auto problem =
          make_inline_problem(*spec.kernels, spec.inputs, values, folder, MakeInputs::kForms);
      const Cost cost = problem->cost_of(spec.kernels->variants.front().name);
      total = cost.bytes_read + cost.bytes_written;
    } catch (const SpecError&) {
      // A combination that a filter drops may be none; those that stay are checked one by one.
    }
    bytes.push_back(total);
  }
  return bytes;
}

bool is_searched(const PlannedWorkload& planned) {
  return planned.spec.tune && planned.spec.tune->is_searched();
}

/// The cases of a part that is dealt by cost.
std::vector<OwnCase> deal(const Plan& plan,
                          const std::vector<std::shared_ptr<const SweptWorkload>>& workloads,
                          const std::string& folder, const JobShard& shard,
                          const FootprintsOf& footprints) {
  std::vector<double> costs;
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    const PlannedWorkload& planned = plan.workloads[k];
    const Sweep& sweep = workloads[k]->sweep;
    if (is_searched(planned)) continue;
    Footprints ask;
    if (planned.spec.kernels)
      ask = [&](const auto& cases) { return inline_footprints(planned.spec, folder, cases); };
    else if (footprints)
      ask = [&](const auto& cases) { return footprints(planned.plugin, cases); };
    const CostModel model(sweep, ask, planned.variants.size());
    sweep.for_each_place([&](std::span<const std::size_t> at) {
      if (workloads.size() > 1 && !seen.insert(workloads[k]->id_of(sweep.combination(at))).second)
        return;
      costs.push_back(model.of(at));
    });
  }
  return own_cases(costs, shard);
}

/// A case of two entries is run as the first of them says: throws SpecError where the other says
/// something else.
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
  fail_at(
      other.spec.place,
      fmt::format("{} is a case of the entry on line {}, too, with {}: a case is run once, so one "
                  "entry must have all that is asked of it",
                  to_text(values), one.spec.place.line, what));
}

/// What is wrong with one combination of a search costs it a try; what is wrong with all of the
/// first ones is wrong with the job.
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

/// One for each variant of each combination of the parameters that are not searched.
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
      // Of this problem the filters leave nothing.
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
      PlannedWorkload planned = plan_workload(spec, describe);
      planned.number = number_among(planned, plan.workloads);
      workloads.push_back(std::make_shared<SweptWorkload>(swept(planned, allowed_cases)));
      plan.workloads.push_back(std::move(planned));
      total += workloads.back()->sweep.size();
      check_case_limit(total, allowed_cases, "the job", spec.place);
    });
  errors.raise();
  const bool is_dealt = shard.count > 1;
  std::vector<OwnCase> own;
  if (is_dealt) own = deal(plan, workloads, folder, shard, footprints);
  auto next = own.begin();
  std::unordered_map<std::string, std::size_t> seen;  // to the entry whose case it is
  // Within one entry of `workloads:` no case stands twice.
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
      const bool is_own = !is_dealt || (next != own.end() && next->number == number);
      if (!is_own && !may_repeat) {
        ++number;
        return;
      }
      NamedValues values = sweep.combination(at);
      std::string id = workloads[k]->id_of(values);
      // Two entries of `workloads:` may meet in a case; it is run once.
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
      // What is wrong with one case is mostly wrong with all: the first of each workload says it.
      if (is_refused || !errors.attempt([&] { check_case(planned, values, folder); })) {
        is_refused = true;
        return;
      }
      PlannedCase& added =
          plan.cases.emplace_back(PlannedCase{std::move(id), number - 1, k, std::move(values), {}});
      if (is_dealt) added.rank = next++->rank;
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
