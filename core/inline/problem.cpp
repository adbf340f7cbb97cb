#include "core/inline/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/inline/arguments.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

/// Default tolerance: a few roundings of elementwise work, or of a short sum.
Tolerance default_tolerance(DType dtype) {
  Tolerance tolerance;
  if (!is_floating(dtype)) {
    tolerance.mode = CompareMode::kExact;
    tolerance.reason = "integers are exact";
    return tolerance;
  }
  tolerance.rtol = 64 * unit_roundoff(dtype);
  tolerance.atol = tolerance.rtol * 1e-3;
  tolerance.reason = "64 roundings of the dtype; set verify.tolerance for more";
  return tolerance;
}

OutputArray output_of(const std::string& name, const ArrayForm& form) {
  OutputArray output;
  output.name = name;
  output.dtype = form.dtype;
  output.shape = form.shape;
  output.tolerance = default_tolerance(form.dtype);
  return output;
}

const OutputArray* find(const std::vector<OutputArray>& outputs, std::string_view name) {
  const auto found = std::ranges::find(outputs, name, &OutputArray::name);
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace

InlineProblem::InlineProblem(std::vector<InlineInput> inputs, std::vector<InlineBuffer> buffers)
    : inputs_(std::move(inputs)), buffers_(std::move(buffers)) {
  for (const InlineBuffer& each : buffers_) {
    if (input(each.name) != nullptr)
      throw SpecError(fmt::format("'{}' is both an input and an output", each.name));
    if (each.of.empty()) continue;
    const InlineBuffer* base = buffer(each.of);
    if (base == nullptr || !base->of.empty())
      throw SpecError(fmt::format("output '{}' is a view of '{}', which is no output with memory",
                                  each.name, each.of));
    view_of(form_only(base->form), each.steps);
  }
}

InlineProblem::~InlineProblem() = default;

const InlineInput* InlineProblem::input(std::string_view name) const {
  const auto found = std::ranges::find(inputs_, name, &InlineInput::name);
  return found == inputs_.end() ? nullptr : &*found;
}

const InlineBuffer* InlineProblem::buffer(std::string_view name) const {
  const auto found = std::ranges::find(buffers_, name, &InlineBuffer::name);
  return found == buffers_.end() ? nullptr : &*found;
}

const InlineProblem::Variant& InlineProblem::variant(std::string_view name) const {
  const auto found = std::ranges::find(variants_, name, &Variant::name);
  if (found == variants_.end())
    throw std::logic_error(fmt::format("there is no variant '{}'", name));
  return *found;
}

OutputArray InlineProblem::declared(const InlineBuffer& buffer) const {
  OutputArray output = output_of(buffer.name, buffer.form);
  output.fill = buffer.fill;
  output.initial = buffer.initial;
  output.units = buffer.units;
  output.dimensions = buffer.dimensions;
  return output;
}

std::vector<InlineArgument> InlineProblem::arguments_by_name(
    const std::vector<std::string>& names) const {
  std::vector<InlineArgument> arguments;
  for (const std::string& name : names) arguments.push_back({.array = name});
  return arguments;
}

void InlineProblem::require_known(const std::string& name, const Variant& variant) const {
  const auto is_named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& each) { return each.name == name; });
  };
  if (name.empty() || is_named(inputs_) || is_named(buffers_) || is_named(variant.textures) ||
      is_named(variant.surfaces))
    return;
  std::vector<std::string> known;
  for (const InlineInput& each : inputs_) known.push_back(each.name);
  for (const InlineBuffer& each : buffers_) known.push_back(each.name);
  throw SpecError(fmt::format("there is no input or output '{}'{}", name, suggestion(name, known)));
}

/// The declared output of that name, or the one that it is a view of.
void InlineProblem::add_output(const std::string& name, Variant& variant) const {
  const InlineBuffer* used = buffer(name);
  if (used != nullptr && !used->of.empty()) used = buffer(used->of);
  if (used != nullptr && find(variant.outputs, used->name) == nullptr)
    variant.outputs.push_back(declared(*used));
}

Array InlineProblem::array_of(const InlineArgument& argument, const Place& place) const {
  if (const InlineInput* given = input(argument.array))
    return view_of(place.input(*given), argument.steps);
  if (const InlineBuffer* view = buffer(argument.array); view != nullptr && !view->of.empty())
    return view_of(view_of(place.output(view->of), view->steps), argument.steps);
  return view_of(place.output(argument.array), argument.steps);
}

/// Arrays without memory.
struct InlineProblem::Forms final : Place {
  const std::vector<OutputArray>& outputs;
  const std::vector<InlineBuffer>& buffers;
  Forms(const std::vector<OutputArray>& inferred, const std::vector<InlineBuffer>& declared)
      : outputs(inferred), buffers(declared) {}
  Array input(const InlineInput& given) const override { return given.array; }
  Array output(const std::string& name) const override {
    if (const OutputArray* inferred = find(outputs, name))
      return form_only({inferred->dtype, inferred->shape});
    return form_only(std::ranges::find(buffers, name, &InlineBuffer::name)->form);
  }
};

void InlineProblem::add(const InlineVariantDefinition& definition) {
  Variant added;
  added.name = definition.name;
  added.kernel = make_inline_kernel(definition.kernel, inputs_);
  const auto parameters = added.kernel->inputs();
  if (definition.arguments) {
    added.arguments = *definition.arguments;
  } else if (parameters) {
    added.arguments = arguments_by_name(*parameters);
  } else {
    throw SpecError("it needs 'args': the names of inputs and outputs in the kernel's order");
  }
  added.textures = definition.textures;
  added.surfaces = definition.surfaces;
  added.globals = definition.globals;
  added.texts = definition.texts;
  for (std::size_t k = 0; k < added.arguments.size(); ++k) {
    InlineArgument& argument = added.arguments[k];
    require_known(argument.array, added);
    if (argument.array.empty() && !argument.dtype) argument.dtype = added.kernel->number_dtype(k);
  }
  for (const InlineTexture& texture : added.textures) {
    const InlineInput* of = input(texture.of);
    if (of == nullptr || of->scalar)
      throw SpecError(
          fmt::format("texture '{}': there is no input array '{}'", texture.name, texture.of));
    texture_extent(of->array, texture.channels);
  }
  for (const InlineSurface& surface : added.surfaces) {
    const InlineBuffer* of = buffer(surface.of);
    if (of == nullptr || !of->of.empty())
      throw SpecError(
          fmt::format("surface '{}': there is no output '{}'", surface.name, surface.of));
    texture_extent(form_only(of->form), surface.channels);
  }
  for (const InlineGlobal& global : added.globals) require_known(global.array, added);

  const std::vector<std::string> out_names = added.kernel->outputs();
  const Forms forms(added.outputs, buffers_);
  const Handles handles = handles_without_texels(added.textures, added.surfaces);
  const auto form_of = [&](const InlineArgument& argument) { return array_of(argument, forms); };
  if (parameters && added.arguments.size() == parameters->size()) {
    const auto declared_count = std::ranges::count_if(
        out_names, [&](const std::string& name) { return buffer(name) != nullptr; });
    if (declared_count == 0) {
      std::deque<Array> arrays;
      const auto arguments = make_arguments(added.arguments, arrays, form_of, inputs_, handles);
      const std::vector<ArrayForm> results = added.kernel->results(arguments);
      for (std::size_t k = 0; k < out_names.size(); ++k)
        added.outputs.push_back(output_of(out_names[k], results[k]));
    } else if (static_cast<std::size_t>(declared_count) != out_names.size()) {
      throw SpecError("'outputs' declares some of its outputs and not others: declare all or none");
    }
    for (InlineArgument& output : arguments_by_name(out_names))
      added.arguments.push_back(std::move(output));
  }
  for (const InlineArgument& argument : added.arguments) add_output(argument.array, added);
  for (const InlineSurface& surface : added.surfaces) add_output(surface.of, added);
  for (const InlineGlobal& global : added.globals) add_output(global.array, added);
  if (added.outputs.empty()) throw SpecError("none of its arguments is an output");
  std::deque<Array> arrays;
  added.kernel->check(make_arguments(added.arguments, arrays, form_of, inputs_, handles));
  require_writable_outputs(added);
  variants_.push_back(std::move(added));
}

void InlineProblem::require_writable_outputs(const Variant& variant) const {
  std::set<std::string> writable;
  for (std::size_t k = 0; k < variant.arguments.size(); ++k)
    if (!variant.kernel->is_read_only(k)) writable.insert(variant.arguments[k].array);
  for (std::size_t k = 0; k < variant.arguments.size(); ++k) {
    const std::string& name = variant.arguments[k].array;
    if (buffer(name) != nullptr && !writable.contains(name))
      throw SpecError(
          fmt::format("argument {} is the output '{}', and the kernel's parameter points to const",
                      k + 1, name));
  }
}

void InlineProblem::require_outputs_used() const {
  for (const InlineBuffer& each : buffers_) {
    const std::string& whole = each.of.empty() ? each.name : each.of;
    const bool is_used = std::ranges::any_of(
        variants_, [&](const Variant& variant) { return find(variant.outputs, whole) != nullptr; });
    if (!is_used) throw SpecError(fmt::format("no variant uses the output '{}'", each.name));
  }
}

void InlineProblem::set_reference(InlineReference reference) {
  reference_ = std::move(reference);
  switch (reference_.kind) {
    case InlineReference::Kind::kNone:
      break;
    case InlineReference::Kind::kValues:
      for (const auto& [name, array] : reference_.values)
        reference_outputs_.push_back(output_of(name, {array.dtype(), array.shape()}));
      break;
    case InlineReference::Kind::kVariant:
      reference_outputs_ = variant(reference_.variant).outputs;
      break;
    case InlineReference::Kind::kCpp:
      // Every output of any variant that its text names.
      for (const Variant& each : variants_)
        for (const OutputArray& output : each.outputs)
          if (mentions(reference_.body, output.name) &&
              find(reference_outputs_, output.name) == nullptr)
            reference_outputs_.push_back(output);
      if (reference_outputs_.empty())
        throw SpecError("the C++ of 'reference' names none of the outputs");
      break;
  }
  // Name of a fusion's single output.
  constexpr std::string_view kUnnamed = "out";
  std::vector<std::string> unused;
  for (const OutputArray& output : reference_outputs_) unused.push_back(output.name);
  for (Variant& each : variants_)
    for (OutputArray& output : each.outputs) {
      const OutputArray* same = find(reference_outputs_, output.name);
      if (same == nullptr && each.outputs.size() == 1 && reference_outputs_.size() == 1) {
        same = &reference_outputs_.front();
        if (!reference_.is_unnamed && output.name != kUnnamed && same->name != kUnnamed)
          throw SpecError(fmt::format(
              "output '{}' of variant '{}' is not '{}', which the reference gives: give them one "
              "name, or leave out 'reference'",
              output.name, each.name, same->name));
      }
      output.has_reference = same != nullptr;
      if (same == nullptr) continue;
      output.compared_with = same->name;
      std::erase(unused, same->name);
      if (!(same->shape == output.shape))
        throw SpecError(fmt::format("output '{}' of variant '{}' has shape {}, the reference {}",
                                    output.name, each.name, to_text(output.shape),
                                    to_text(same->shape)));
    }
  if (!unused.empty())
    throw SpecError(fmt::format("the reference gives '{}', which no variant computes", unused[0]));
}

std::vector<OutputArray> InlineProblem::outputs_of(std::string_view name) const {
  return name == "reference" ? reference_outputs_ : variant(name).outputs;
}

std::vector<std::pair<std::string, Array>> InlineProblem::input_arrays() const {
  std::vector<std::pair<std::string, Array>> arrays;
  for (const InlineInput& each : inputs_)
    if (!each.scalar) arrays.emplace_back(each.name, each.base);
  return arrays;
}

}  // namespace kernelbatch
