#include "core/run/plan_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error_list.hpp"
#include "core/base/text.hpp"
#include "core/inline/case.hpp"
#include "core/inline/reference.hpp"
#include "core/job/reader.hpp"
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

/// Value of an omitted parameter from the job's files: an extent, or the dtype. std::nullopt if no
/// file determines it, or the parameter does not allow the value.
std::optional<Scalar> value_in_files(const ParameterDeclaration& declared, const WorkloadSpec& spec,
                                     const WorkloadInfo& info, const std::string& folder) {
  for (const InputSpec& input : spec.inputs) {
    const auto form = std::ranges::find(info.inputs, input.name, &InputDeclaration::name);
    if (input.kind != InputKind::kFile || form == info.inputs.end() || form->extents.empty())
      continue;
    std::vector<MadeInput> made;
    try {
      made = make_inputs({input}, {}, folder, nullptr);
    } catch (const SpecError&) {
      continue;  // a view that needs parameters, or a missing file: reported for its case
    }
    const Array& array = made.front().array;
    if (made.size() != 1 || std::cmp_not_equal(array.shape().count(), form->extents.size()))
      continue;
    std::optional<std::string> text;
    if (declared.name == "dtype" && form->dtype.empty()) text = std::string(name_of(array.dtype()));
    for (int axis = 0; axis < array.shape().count(); ++axis)
      if (form->extents[static_cast<std::size_t>(axis)] == declared.name)
        text = std::to_string(array.shape()[axis]);
    if (!text) continue;
    try {
      typed_value(declared, *text);
    } catch (const SpecError&) {
      continue;
    }
    return Scalar{*text, input.place, false};
  }
  return std::nullopt;
}

/// The parameters as axes in the order of declaration. Omitted values come from files, else from
/// the workload; tuning parameters only if the job sets them.
std::vector<Axis> complete_axes(const WorkloadSpec& spec, const WorkloadInfo& info,
                                const std::string& folder) {
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
      axes.push_back({declared.name,
                      {value_in_files(declared, spec, info, folder)
                           .value_or(Scalar{to_text(declared.default_value), spec.place, false})},
                      spec.place});
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

/// The selected variants in the order of `known`; all if none are selected.
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

/// Kernels in the job, which also defines their reference.
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
  // Values and files are not computed, so they have no time.
  std::vector<std::string> known;
  if (planned.reference == "reference" && has_cpp) known.push_back("reference");
  for (const InlineVariant& variant : spec.kernels->variants) known.push_back(variant.name);
  planned.variants = wanted_of(known, spec, planned.info.name);
  planned.baseline = spec.baseline.text.empty() ? known.front() : spec.baseline.text;
  require_known({planned.baseline, spec.baseline.place, false}, known, "variant",
                planned.info.name);
  return planned;
}

/// Checks declared names, which become names of files and datasets.
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

/// Checks the lengths of a case's file names; file systems allow 255 bytes.
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

std::string text_of(DType dtype, const Shape& shape) {
  return fmt::format("{} {}", name_of(dtype), to_text(shape));
}

/// Throws if a job's input does not have the form that the workload declares for these parameters.
void check_form(const MadeInput& made, const InputDeclaration& declared, const InputSpec& input,
                const Params& params, const NamedValues& values) {
  Shape shape;
  std::vector<std::string> said;
  const auto describe = [&](const std::string& name) {
    for (const auto& [each, value] : values) {
      std::string text = fmt::format("{}: {}", name, to_text(value));
      if (each == name && std::ranges::find(said, text) == said.end())
        said.push_back(std::move(text));
    }
  };
  for (const std::string& extent : declared.extents) {
    const bool is_number = extent.find_first_not_of("0123456789") == std::string::npos;
    shape.push_back(is_number ? std::stoll(extent) : params.integer(extent));
    describe(extent);
  }
  const DType dtype = declared.dtype.empty() ? params.dtype() : dtype_named(declared.dtype).value();
  if (declared.dtype.empty()) describe("dtype");
  const Shape given = made.scalar ? Shape{} : made.array.shape();
  const DType given_dtype =
      made.scalar ? made.dtype.value_or(dtype_of(*made.scalar)) : made.array.dtype();
  if (given_dtype == dtype && given == shape) return;
  const std::string is = text_of(given_dtype, given), takes = text_of(dtype, shape);
  if (input.kind == InputKind::kFile)
    fail_at(input.place, fmt::format("input '{}': {} is {}; with params {} the workload takes {}",
                                     made.name, input.value.text, is, join(said), takes));
  fail_at(input.place, fmt::format("input '{}' is {}; with {} the workload takes {}", made.name, is,
                                   join(said), takes));
}

/// The reference if it is timed, else the first timed variant.
std::string default_baseline(const PlannedWorkload& planned) {
  for (const std::string& name : {std::string("reference"), planned.reference})
    if (std::ranges::find(planned.variants, name) != planned.variants.end()) return name;
  // Tries of a search are compared with each other by their times.
  return planned.variants.empty() || planned.spec.tune ? "reference" : planned.variants.front();
}

}  // namespace

PlannedWorkload plan_workload(const WorkloadSpec& spec, const Describe& describe,
                              const std::string& folder) {
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
  planned.baseline = spec.baseline.text.empty() ? default_baseline(planned) : spec.baseline.text;
  require_variant(planned.baseline, spec.baseline.place);
  errors.attempt([&] { planned.spec.params = complete_axes(spec, planned.info, folder); });
  errors.attempt([&] { check_outputs(spec, planned.info); });
  errors.attempt([&] { check_inputs(spec, planned.info); });
  errors.raise();
  return planned;
}

void check_case(const PlannedWorkload& planned, const NamedValues& values,
                const std::string& folder) {
  const WorkloadSpec& spec = planned.spec;
  if (!spec.kernels) {
    const auto made = make_inputs(spec.inputs, values, folder, nullptr);
    const Params params(values, planned.info.parameters);
    ErrorList errors;
    for (const InputSpec& input : spec.inputs) {
      const auto form = std::ranges::find(made, input.name, &MadeInput::name);
      const auto declared =
          std::ranges::find(planned.info.inputs, input.name, &InputDeclaration::name);
      if (form != made.end() && !declared->extents.empty())
        errors.attempt([&] { check_form(*form, *declared, input, params, values); });
    }
    errors.raise();
    if (spec.verify.reference_file) require_reference_file(*spec.verify.reference_file, folder);
    return;
  }
  const auto problem = make_inline_problem(*spec.kernels, spec.inputs, values, folder, nullptr);
  std::vector<std::string> outputs;
  for (const InlineVariant& variant : spec.kernels->variants)
    for (const OutputArray& output : problem->outputs_of(variant.name)) {
      check_lengths({variant.name}, {output.name}, variant.place);
      outputs.push_back(output.name);
    }
  for (const auto& [name, tolerance] : spec.verify.outputs)
    require_known({name, tolerance.place, false}, outputs, "output", "inline");
}

}  // namespace kernelbatch
