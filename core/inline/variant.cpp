#include "core/inline/variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/inline/arguments.hpp"

namespace kernelbatch {
namespace {

/// Arrays without memory.
class FormsOnly final : public ArrayPlace {
 public:
  FormsOnly(const std::vector<OutputArray>& inferred, const InlineArrays& declared)
      : inferred_(inferred), declared_(declared) {}
  Array input(const InlineInput& given) const override { return given.array; }
  Array output(const std::string& name) const override {
    if (const OutputArray* inferred = find_output(inferred_, name))
      return form_only({inferred->dtype, inferred->shape});
    return form_only(declared_.buffer(name)->form);
  }

 private:
  const std::vector<OutputArray>& inferred_;
  const InlineArrays& declared_;
};

/// Arguments of a step as its kernel sees them, without memory.
class Forms {
 public:
  Forms(const FittedStep& step, const FittedVariant& variant)
      : step_(step),
        arrays_(variant.arrays),
        place_(variant.outputs, arrays_),
        handles_(handles_without_texels(step.textures, step.surfaces)) {}
  /// Valid until the next call.
  std::vector<Argument> arguments() {
    memory_ = {};
    return make_arguments(
        step_.arguments, memory_,
        [this](const InlineArgument& argument) { return arrays_.array_of(argument, place_); },
        arrays_.inputs(), handles_);
  }

 private:
  const FittedStep& step_;
  const InlineArrays& arrays_;
  FormsOnly place_;
  Handles handles_;
  ArgumentMemory memory_ = {};
};

OutputArray declared(const InlineBuffer& buffer) {
  OutputArray output = output_of(buffer.name, buffer.form);
  output.fill = buffer.fill;
  output.initial = buffer.initial;
  output.units = buffer.units;
  output.dimensions = buffer.dimensions;
  return output;
}

std::vector<InlineArgument> arguments_by_name(const std::vector<std::string>& names) {
  std::vector<InlineArgument> arguments;
  for (const std::string& name : names) arguments.push_back({.array = name});
  return arguments;
}

bool has_scratch(const InlineArrays& arrays) {
  return std::ranges::any_of(arrays.buffers(), &InlineBuffer::is_scratch);
}

void require_known(const std::string& name, const FittedStep& step, const FittedVariant& variant) {
  const InlineArrays& arrays = variant.arrays;
  const auto is_named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& each) { return each.name == name; });
  };
  if (name.empty() || is_named(arrays.inputs()) || is_named(arrays.buffers()) ||
      is_named(variant.outputs) || is_named(step.textures) || is_named(step.surfaces))
    return;
  std::vector<std::string> known;
  for (const InlineInput& each : arrays.inputs()) known.push_back(each.name);
  for (const InlineBuffer& each : arrays.buffers()) known.push_back(each.name);
  throw SpecError(fmt::format("there is no input{} '{}'{}",
                              has_scratch(arrays) ? ", output or scratch array" : " or output",
                              name, suggestion(name, known)));
}

void add_output(const std::string& name, FittedVariant& variant) {
  const InlineArrays& arrays = variant.arrays;
  const InlineBuffer* used = arrays.buffer(name);
  if (used != nullptr && !used->of.empty()) used = arrays.buffer(used->of);
  if (used != nullptr && !used->is_scratch && find_output(variant.outputs, used->name) == nullptr)
    variant.outputs.push_back(declared(*used));
}

void require_texels(const FittedStep& step, const InlineArrays& arrays) {
  for (const InlineTexture& texture : step.textures) {
    const InlineInput* of = arrays.input(texture.of);
    if (of == nullptr || of->scalar)
      throw SpecError(
          fmt::format("texture '{}': there is no input array '{}'", texture.name, texture.of));
    texture_extent(of->array, texture.channels);
  }
  for (const InlineSurface& surface : step.surfaces) {
    const InlineBuffer* of = arrays.buffer(surface.of);
    if (of == nullptr || !of->of.empty())
      throw SpecError(
          fmt::format("surface '{}': there is no output '{}'", surface.name, surface.of));
    texture_extent(form_only(of->form), surface.channels);
  }
}

/// Infers the outputs that follow the given inputs, unless the job declares them or an earlier
/// step has them.
void append_outputs(FittedStep& step, FittedVariant& variant) {
  const std::vector<std::string> names = step.kernel->outputs();
  const auto known_count = std::ranges::count_if(names, [&](const std::string& name) {
    return variant.arrays.buffer(name) != nullptr || find_output(variant.outputs, name) != nullptr;
  });
  if (known_count == 0) {
    const std::vector<ArrayForm> results = step.kernel->results(Forms(step, variant).arguments());
    for (std::size_t k = 0; k < names.size(); ++k)
      variant.outputs.push_back(output_of(names[k], results[k]));
  } else if (static_cast<std::size_t>(known_count) != names.size()) {
    throw SpecError("'outputs' declares some of its outputs and not others: declare all or none");
  }
  for (InlineArgument& output : arguments_by_name(names))
    step.arguments.push_back(std::move(output));
}

FittedStep fit_step(const InlineStepDefinition& definition, FittedVariant& variant) {
  FittedStep step{.kernel = make_inline_kernel(definition.kernel, variant.arrays.inputs()),
                  .textures = definition.textures,
                  .surfaces = definition.surfaces,
                  .globals = definition.globals,
                  .addresses = definition.addresses,
                  .texts = definition.texts};
  const auto parameters = step.kernel->inputs();
  if (!definition.arguments && !parameters)
    throw SpecError("it needs 'args': the names of inputs and outputs in the kernel's order");
  step.arguments = definition.arguments ? *definition.arguments : arguments_by_name(*parameters);
  for (std::size_t k = 0; k < step.arguments.size(); ++k) {
    InlineArgument& argument = step.arguments[k];
    require_known(argument.array, step, variant);
    if (argument.array.empty() && !argument.dtype) argument.dtype = step.kernel->number_dtype(k);
  }
  require_texels(step, variant.arrays);
  for (const InlineGlobal& global : step.globals) require_known(global.array, step, variant);
  for (const InlineAddress& place : step.addresses) require_known(place.array, step, variant);
  if (parameters && step.arguments.size() == parameters->size()) append_outputs(step, variant);
  for (const InlineArgument& argument : step.arguments) add_output(argument.array, variant);
  for (const InlineSurface& surface : step.surfaces) add_output(surface.of, variant);
  for (const InlineGlobal& global : step.globals) add_output(global.array, variant);
  for (const InlineAddress& place : step.addresses) add_output(place.array, variant);
  step.kernel->check(Forms(step, variant).arguments());
  return step;
}

/// Arrays that a step may write.
std::set<std::string> written_arrays(const FittedVariant& variant) {
  std::set<std::string> written;
  for (const FittedStep& step : variant.steps) {
    for (std::size_t k = 0; k < step.arguments.size(); ++k)
      if (!step.kernel->is_read_only(k)) written.insert(step.arguments[k].array);
    for (const InlineSurface& surface : step.surfaces) written.insert(surface.of);
    for (const InlineGlobal& global : step.globals) written.insert(global.array);
    for (const InlineAddress& place : step.addresses) written.insert(place.array);
  }
  return written;
}

void require_writable_outputs(const FittedVariant& variant) {
  const std::set<std::string> written = written_arrays(variant);
  for (const InlineBuffer& each : variant.arrays.buffers())
    if (each.is_scratch && !written.contains(each.name))
      throw SpecError(fmt::format("no step writes the scratch array '{}'", each.name));
  for (const FittedStep& step : variant.steps)
    for (std::size_t k = 0; k < step.arguments.size(); ++k) {
      const std::string& name = step.arguments[k].array;
      if (variant.arrays.buffer(name) != nullptr && !written.contains(name))
        throw SpecError(fmt::format(
            "argument {} is the output '{}', and the kernel's parameter points to const", k + 1,
            name));
    }
}

}  // namespace

FittedVariant fit_variant(const InlineVariantDefinition& definition, const InlineArrays& arrays) {
  FittedVariant fitted{.name = definition.name, .arrays = arrays.with(definition.scratch)};
  for (const InlineStepDefinition& step : definition.steps)
    at_place(step.place, step.title, [&] { fitted.steps.push_back(fit_step(step, fitted)); });
  if (fitted.outputs.empty()) throw SpecError("none of its arguments is an output");
  require_writable_outputs(fitted);
  return fitted;
}

}  // namespace kernelbatch
