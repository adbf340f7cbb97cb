#include "core/inline/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error_list.hpp"
#include "core/base/text.hpp"
#include "core/inline/options.hpp"
#include "core/inline/reference.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/reader.hpp"
#include "core/job/sweep.hpp"
#include "core/job/yaml_writer.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

/// The type that can represent every value of an axis.
ParameterType type_of(const Axis& axis) {
  bool all_integers = true, all_numbers = true, all_truths = true;
  for (const Scalar& scalar : axis.values) {
    const Value value = natural_value(scalar);
    all_truths = all_truths && std::holds_alternative<bool>(value);
    all_integers = all_integers && std::holds_alternative<std::int64_t>(value);
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

/// One entry of `outputs:`.
InlineBuffer read_buffer(const std::string& name, const YamlNode& node,
                         const std::vector<InlineInput>& inputs, const NamedValues& facts) {
  const InlineOptions options(node, facts);
  InlineBuffer buffer;
  buffer.name = name;
  if (const YamlNode* of = options.find("of")) {
    buffer.of = read_text(*of, "of");
    std::vector<std::pair<std::string, Scalar>> steps;
    for (std::size_t k = 0; k < node.keys.size(); ++k)
      if (node.keys[k].text != "of")
        steps.emplace_back(node.keys[k].text,
                           read_scalar_or_list(node.children[k], node.keys[k].text));
    buffer.steps = read_view_steps(steps, facts);
    return buffer;
  }
  const InlineInput* from = nullptr;
  if (const YamlNode* fill = options.find("fill")) {
    const Scalar scalar = read_scalar(*fill, "fill");
    const auto named = std::ranges::find(inputs, scalar.text, &InlineInput::name);
    if (named != inputs.end() && !named->scalar)
      from = &*named;
    else
      buffer.fill = evaluate_number(scalar, facts);
  }
  if (from != nullptr) buffer.form = {from->array.dtype(), from->array.shape()};
  if (const YamlNode* dtype = options.find("dtype"))
    buffer.form.dtype = read_dtype(read_scalar(*dtype, "dtype"), facts);
  if (const YamlNode* shape = options.find("shape"))
    buffer.form.shape =
        Shape(evaluate_integers(read_scalar_or_list(*shape, "shape"), facts, "shape"));
  else if (from == nullptr)
    fail_at(node.place, fmt::format("output '{}' needs a shape", name));
  element_count(buffer.form.shape);
  if (from != nullptr) {
    if (!(from->array.shape() == buffer.form.shape) || from->array.dtype() != buffer.form.dtype)
      fail_at(node.place,
              fmt::format("output '{}' is {} {}, and 'fill: {}' is {} {}", name,
                          name_of(buffer.form.dtype), to_text(buffer.form.shape), from->name,
                          name_of(from->array.dtype()), to_text(from->array.shape())));
    buffer.initial = from->array;
  }
  buffer.units = options.text("units", "1");
  if (const YamlNode* dimensions = options.find("dimensions"))
    for (const Scalar& each : read_scalars(*dimensions, "dimensions"))
      buffer.dimensions.push_back(each.text);
  if (buffer.fill) {
    std::byte ignored[16];
    with_place(options.find("fill")->place, "fill",
               [&] { write_number(*buffer.fill, buffer.form.dtype, ignored); });
  }
  return buffer;
}

InlineKernelDefinition read_kernel(const InlineVariant& variant, const InlineOptions& o,
                                   const std::string& job_folder) {
  if (variant.kind == VariantKind::kElementwise) {
    InlineElementwise d{
        o.text("in"), o.text("out"),    o.text("operation"), o.text("name", "kernel"),
        {},           o.integer("size")};
    d.options.preamble = o.text("preamble");
    d.options.loop_prep = o.text("loop_prep");
    d.options.after_loop = o.text("after_loop");
    d.options.reduce_dims = o.boolean("reduce_dims", true);
    d.options.copy_overlap = o.boolean("copy_overlap", false);
    if (const auto block = o.integer("block_size")) {
      if (*block < 1 || *block > 1024)
        fail_at(o.find("block_size")->place,
                fmt::format("'block_size' must be from 1 to 1024, not {}", *block));
      d.options.block_size = static_cast<int>(*block);
    }
    d.options.options = o.compiler_options();
    return d;
  }
  if (variant.kind == VariantKind::kReduction) {
    InlineReduction d{o.text("in"),
                      o.text("out"),
                      o.text("map"),
                      o.text("reduce"),
                      o.text("post_map"),
                      o.maybe_text("identity"),
                      o.text("name", "reduce_kernel")};
    d.options.preamble = o.text("preamble");
    d.options.reduce_type = o.text("reduce_type");
    d.options.copy_overlap = o.boolean("copy_overlap", false);
    d.options.options = o.compiler_options();
    if (const auto axes = o.axes("axis")) d.how.axes = AxisNumbers(*axes);
    d.how.keepdims = o.boolean("keepdims", false);
    return d;
  }
  if (variant.kind == VariantKind::kFused)
    return InlineFuse{o.text("expression"), o.text("name", "fused")};
  if (variant.kind == VariantKind::kJit) {
    if (const YamlNode* entry = o.find("entry")) require_kernel(o.text("source"), *entry);
    return InlineJit{o.text("source"), o.text("entry"), o.launch_shape(),
                     JitOptions{.constants = o.constants(), .options = o.compiler_options()}};
  }
  InlineRaw d;
  d.source = o.text("source");
  d.entry = o.text("entry");
  d.name_expressions = o.texts("name_expressions");
  if (!d.name_expressions.empty() &&
      std::ranges::find(d.name_expressions, d.entry) == d.name_expressions.end())
    fail_at(o.find("entry")->place, fmt::format("'entry: {}' is not among 'name_expressions'{}",
                                                d.entry, suggestion(d.entry, d.name_expressions)));
  if (d.name_expressions.empty() && !d.source.empty()) require_kernel(d.source, *o.find("entry"));
  d.shape = o.launch_shape();
  d.options.options = o.compiler_options();
  d.options.name = variant.name;
  d.options.translate_cucomplex = o.boolean("translate_cucomplex", false);
  if (const YamlNode* backend = o.find("backend"))
    with_place(backend->place, "backend",
               [&] { d.options.backend = compiler_backend_named(read_text(*backend, "backend")); });
  if (const YamlNode* module = o.find("module")) {
    expect_keys(*module, "module", module_keys());
    InputSpec spec;
    spec.name = "module";
    spec.place = module->place;
    spec.value = read_scalar(*module->find("file"), "file");
    d.file = find_input_file(spec, job_folder);
  }
  return d;
}

/// True if a word occurs in a text of any language: C++, a fusion, a size, a YAML list.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return true;
  }
  return false;
}

/// True if the word occurs anywhere in a mapping, a list or a text.
bool names(const YamlNode& node, const std::string& identifier) {
  return has_word(node.text, identifier) ||
         std::ranges::any_of(node.keys,
                             [&](const auto& key) { return has_word(key.text, identifier); }) ||
         std::ranges::any_of(node.children,
                             [&](const YamlNode& child) { return names(child, identifier); });
}

/// An unused input is an error: in its name, or in a kernel.
void require_inputs_used(const InlineSpec& spec, const std::vector<InputSpec>& inputs) {
  for (const InputSpec& input : inputs) {
    const bool is_used =
        std::ranges::any_of(
            spec.variants,
            [&](const InlineVariant& variant) { return names(variant.options, input.name); }) ||
        std::ranges::any_of(spec.outputs,
                            [&](const auto& output) { return names(output.second, input.name); }) ||
        names(spec.reference, input.name) ||
        std::ranges::any_of(inputs, [&](const InputSpec& other) {
          return has_word(other.value.text, input.name) ||
                 std::ranges::any_of(other.options, [&](const auto& option) {
                   return has_word(option.second.text, input.name);
                 });
        });
    if (!is_used) fail_at(input.place, fmt::format("input '{}': no variant uses it", input.name));
  }
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
  // Parameters may be arguments by name: "float a" takes `params: {a: [1, 2]}`.
  for (const auto& [name, value] : params) {
    if (std::ranges::find(inputs, name, &InlineInput::name) != inputs.end()) continue;
    InlineInput input;
    input.name = name;
    if (const auto* truth = std::get_if<bool>(&value)) input.scalar = *truth;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) input.scalar = *integer;
    if (const auto* real = std::get_if<double>(&value)) input.scalar = *real;
    if (input.scalar) inputs.push_back(std::move(input));
  }
  std::vector<InlineBuffer> buffers;
  ErrorList errors;
  for (const auto& output : spec.outputs)
    errors.attempt([&] {
      const std::string& name = output.first;
      buffers.push_back(read_buffer(name, output.second, inputs, facts));
      InlineBuffer& buffer = buffers.back();
      if (random != nullptr && buffer.initial.size() > 0)
        buffer.initial = contiguous(buffer.initial);
      if (buffer.of.empty()) add_facts(facts, name, buffer.form);
    });
  errors.raise();
  const SourcePlace place =
      spec.outputs.empty() ? spec.variants.front().place : spec.outputs.front().second.place;
  auto problem = at_place(place, "", [&] {
    return std::make_unique<InlineProblem>(std::move(inputs), std::move(buffers));
  });
  for (const InlineVariant& variant : spec.variants)
    errors.attempt([&] {
      at_place(variant.place, fmt::format("variant '{}': ", variant.name), [&] {
        const InlineOptions options(variant.options, facts);
        problem->add({variant.name, read_kernel(variant, options, job_folder), options.arguments(),
                      options.textures(), options.surfaces(), options.globals(),
                      texts_of(variant)});
      });
    });
  errors.raise();  // what follows asks for all variants: a misspelt name is not missed as well
  require_inputs_used(spec, input_specs);
  at_place(place, "", [&] { problem->require_outputs_used(); });
  at_place(spec.reference.place.file.empty() ? place : spec.reference.place, "",
           [&] { problem->set_reference(read_reference(spec, facts, job_folder)); });
  return problem;
}

}  // namespace kernelbatch
