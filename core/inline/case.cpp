#include "core/inline/case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error_list.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/inline/buffer.hpp"
#include "core/inline/kernel_definition.hpp"
#include "core/inline/options.hpp"
#include "core/inline/reference.hpp"
#include "core/inline/unused_inputs.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/sweep.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch {
namespace {

/// The type that can represent every value of an axis.
ParameterType type_of(const Axis& axis) {
  bool all_integers = true, all_numbers = true, all_truths = true;
  for (const Scalar& scalar : axis.values) {
    const Value value = natural_value(scalar);
    all_truths = all_truths && std::holds_alternative<bool>(value);
    // "1e5" is 100000.
    all_integers = all_integers &&
                   (std::holds_alternative<std::int64_t>(value) ||
                    (std::holds_alternative<double>(value) &&
                     scalar.text.find('.') == std::string::npos && try_parse_integer(scalar.text)));
    all_numbers = all_numbers && (std::holds_alternative<std::int64_t>(value) ||
                                  std::holds_alternative<double>(value));
  }
  if (all_truths) return ParameterType::kBoolean;
  if (all_integers) return ParameterType::kInteger;
  return all_numbers ? ParameterType::kReal : ParameterType::kText;
}

void add_facts(NamedValues& facts, const std::string& name, const ArrayForm& form) {
  const std::int64_t size = element_count(form.shape);
  const auto item = static_cast<std::int64_t>(size_of(form.dtype));
  facts.emplace_back(name + ".size", size);
  facts.emplace_back(name + ".ndim", std::int64_t{form.shape.count()});
  facts.emplace_back(name + ".itemsize", item);
  facts.emplace_back(name + ".nbytes", size * item);
  for (int axis = 0; axis < form.shape.count(); ++axis)
    facts.emplace_back(fmt::format("{}.shape[{}]", name, axis), form.shape[axis]);
}

Value value_of(const Number& number) {
  if (const auto* truth = std::get_if<bool>(&number)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return *integer;
  if (const auto* real = std::get_if<double>(&number)) return *real;
  return to_text(number);
}

/// Parameters may be arguments by name: "float a" takes `params: {a: [1, 2]}`.
void add_parameters(std::vector<InlineInput>& inputs, const NamedValues& params) {
  for (const auto& [name, value] : params) {
    if (std::ranges::find(inputs, name, &InlineInput::name) != inputs.end()) continue;
    InlineInput input;
    input.name = name;
    if (const auto* truth = std::get_if<bool>(&value)) input.scalar = *truth;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) input.scalar = *integer;
    if (const auto* real = std::get_if<double>(&value)) input.scalar = *real;
    if (input.scalar) inputs.push_back(std::move(input));
  }
}

/// Adds the facts of each output with memory.
std::vector<InlineBuffer> read_outputs(const InlineSpec& spec,
                                       const std::vector<InlineInput>& inputs, NamedValues& facts,
                                       const RandomSource* random) {
  std::vector<InlineBuffer> buffers;
  ErrorList errors;
  for (const auto& output : spec.outputs)
    errors.attempt([&] {
      buffers.push_back(read_buffer(output.first, output.second, inputs, facts));
      InlineBuffer& buffer = buffers.back();
      if (random != nullptr && buffer.initial.size() > 0)
        buffer.initial = contiguous(buffer.initial);
      if (buffer.of.empty()) add_facts(facts, output.first, buffer.form);
    });
  errors.raise();
  return buffers;
}

/// The scratch arrays of a variant, whose facts are added.
std::vector<InlineBuffer> read_scratch(const InlineVariant& variant, NamedValues& facts) {
  std::vector<InlineBuffer> arrays;
  const YamlNode* node = variant.steps.empty() ? nullptr : variant.options.find("scratch");
  for (std::size_t k = 0; node != nullptr && k < node->keys.size(); ++k) {
    arrays.push_back(read_buffer(node->keys[k].text, node->children[k], {}, facts));
    arrays.back().is_scratch = true;
    add_facts(facts, arrays.back().name, arrays.back().form);
  }
  return arrays;
}

InlineVariantDefinition read_variant(const InlineVariant& variant, NamedValues facts,
                                     const std::string& job_folder) {
  InlineVariantDefinition definition{.name = variant.name};
  definition.scratch = read_scratch(variant, facts);
  for (const InlineVariant& step : variant.kernels()) {
    const std::string title =
        variant.steps.empty()
            ? fmt::format("variant '{}': ", variant.name)
            : fmt::format("variant '{}', step {}: ", variant.name, definition.steps.size() + 1);
    at_place(step.place, title, [&] {
      const InlineOptions options(step.options, facts);
      definition.steps.push_back({read_kernel(step, facts, job_folder), options.arguments(),
                                  options.textures(), options.surfaces(), options.globals(),
                                  options.addresses(), texts_of(step), step.place, title});
    });
  }
  return definition;
}

void add_variants(InlineProblem& problem, const InlineSpec& spec, const NamedValues& facts,
                  const std::string& job_folder) {
  ErrorList errors;
  for (const InlineVariant& variant : spec.variants)
    errors.attempt([&] {
      at_place(variant.place, fmt::format("variant '{}': ", variant.name),
               [&] { problem.add(read_variant(variant, facts, job_folder)); });
    });
  errors.raise();
}

}  // namespace

WorkloadInfo inline_info(const WorkloadSpec& spec) {
  const InlineSpec& kernels = *spec.kernels;
  WorkloadInfo info;
  info.name = "inline";
  // Variants are not part of the version, so that results from before an edit can be compared.
  InlineSpec declared;
  declared.outputs = kernels.outputs;
  info.version = hash_hex(write_yaml(to_node(declared))).substr(0, 16);
  info.summary = "kernels written in the job";
  for (const Axis& axis : spec.params) {
    ParameterDeclaration parameter;
    parameter.name = axis.name;
    parameter.type = type_of(axis);
    parameter.default_value = axis.values.front().text;
    info.parameters.push_back(std::move(parameter));
  }
  for (const InputSpec& input : spec.inputs) info.inputs.push_back({input.name, ""});
  const auto prepare = [](const std::string& name) {
    return [name](const Problem& problem, Run& run) {
      return static_cast<const InlineProblem&>(problem).prepare(name, run);
    };
  };
  if (inline_reference(kernels) == "reference")
    info.variants.push_back({"reference", VariantKind::kReference, "", prepare("reference")});
  for (const InlineVariant& variant : kernels.variants)
    info.variants.push_back({variant.name, variant.kind, "", prepare(variant.name)});
  return info;
}

std::unique_ptr<InlineProblem> make_inline_problem(const InlineSpec& spec,
                                                   const std::vector<InputSpec>& input_specs,
                                                   const NamedValues& params,
                                                   const std::string& job_folder,
                                                   RandomSource* random) {
  NamedValues facts = params;
  std::vector<InlineInput> inputs;
  for (MadeInput& made : make_inputs(input_specs, params, job_folder, random)) {
    if (made.scalar)
      facts.emplace_back(made.name, value_of(*made.scalar));
    else
      add_facts(facts, made.name, {made.array.dtype(), made.array.shape()});
    inputs.push_back({made.name, made.array, made.base, made.scalar, made.dtype});
  }
  add_parameters(inputs, params);
  std::vector<InlineBuffer> buffers = read_outputs(spec, inputs, facts, random);
  const SourcePlace place =
      spec.outputs.empty() ? spec.variants.front().place : spec.outputs.front().second.place;
  auto problem = at_place(place, "", [&] {
    return std::make_unique<InlineProblem>(InlineArrays(std::move(inputs), std::move(buffers)));
  });
  // Before the checks below, which need all variants: a misspelt name is not also missing.
  add_variants(*problem, spec, facts, job_folder);
  require_inputs_used(spec, input_specs);
  at_place(place, "", [&] { problem->require_outputs_used(); });
  at_place(spec.reference.place.file.empty() ? place : spec.reference.place, "",
           [&] { problem->set_reference(read_reference(spec, facts, job_folder)); });
  return problem;
}

}  // namespace kernelbatch
