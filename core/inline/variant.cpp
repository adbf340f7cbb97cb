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

/// Arguments of the variant as its kernel sees them, without memory.
class Forms {
 public:
  Forms(const FittedVariant& variant, const InlineArrays& arrays)
      : variant_(variant),
        arrays_(arrays),
        place_(variant.outputs, arrays),
        handles_(handles_without_texels(variant.textures, variant.surfaces)) {}
  /// Valid until the next call.
  std::vector<Argument> arguments() {
    memory_.clear();
    return make_arguments(
        variant_.arguments, memory_,
        [this](const InlineArgument& argument) { return arrays_.array_of(argument, place_); },
        arrays_.inputs(), handles_);
  }

 private:
  const FittedVariant& variant_;
  const InlineArrays& arrays_;
  FormsOnly place_;
  Handles handles_;
  std::deque<Array> memory_ = {};
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

void require_known(const std::string& name, const FittedVariant& variant,
                   const InlineArrays& arrays) {
  const auto is_named = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& each) { return each.name == name; });
  };
  if (name.empty() || is_named(arrays.inputs()) || is_named(arrays.buffers()) ||
      is_named(variant.textures) || is_named(variant.surfaces))
    return;
  std::vector<std::string> known;
  for (const InlineInput& each : arrays.inputs()) known.push_back(each.name);
  for (const InlineBuffer& each : arrays.buffers()) known.push_back(each.name);
  throw SpecError(fmt::format("there is no input or output '{}'{}", name, suggestion(name, known)));
}

void add_output(const std::string& name, FittedVariant& variant, const InlineArrays& arrays) {
  const InlineBuffer* used = arrays.buffer(name);
  if (used != nullptr && !used->of.empty()) used = arrays.buffer(used->of);
  if (used != nullptr && find_output(variant.outputs, used->name) == nullptr)
    variant.outputs.push_back(declared(*used));
}

void require_texels(const FittedVariant& variant, const InlineArrays& arrays) {
  for (const InlineTexture& texture : variant.textures) {
    const InlineInput* of = arrays.input(texture.of);
    if (of == nullptr || of->scalar)
      throw SpecError(
          fmt::format("texture '{}': there is no input array '{}'", texture.name, texture.of));
    texture_extent(of->array, texture.channels);
  }
  for (const InlineSurface& surface : variant.surfaces) {
    const InlineBuffer* of = arrays.buffer(surface.of);
    if (of == nullptr || !of->of.empty())
      throw SpecError(
          fmt::format("surface '{}': there is no output '{}'", surface.name, surface.of));
    texture_extent(form_only(of->form), surface.channels);
  }
}

/// Infers the outputs that follow the given inputs, unless the job declares them.
void append_outputs(FittedVariant& variant, const InlineArrays& arrays, Forms& forms) {
  const std::vector<std::string> names = variant.kernel->outputs();
  const auto declared_count = std::ranges::count_if(
      names, [&](const std::string& name) { return arrays.buffer(name) != nullptr; });
  if (declared_count == 0) {
    const std::vector<ArrayForm> results = variant.kernel->results(forms.arguments());
    for (std::size_t k = 0; k < names.size(); ++k)
      variant.outputs.push_back(output_of(names[k], results[k]));
  } else if (static_cast<std::size_t>(declared_count) != names.size()) {
    throw SpecError("'outputs' declares some of its outputs and not others: declare all or none");
  }
  for (InlineArgument& output : arguments_by_name(names))
    variant.arguments.push_back(std::move(output));
}

void require_writable_outputs(const FittedVariant& variant, const InlineArrays& arrays) {
  std::set<std::string> writable;
  for (std::size_t k = 0; k < variant.arguments.size(); ++k)
    if (!variant.kernel->is_read_only(k)) writable.insert(variant.arguments[k].array);
  for (std::size_t k = 0; k < variant.arguments.size(); ++k) {
    const std::string& name = variant.arguments[k].array;
    if (arrays.buffer(name) != nullptr && !writable.contains(name))
      throw SpecError(
          fmt::format("argument {} is the output '{}', and the kernel's parameter points to const",
                      k + 1, name));
  }
}

}  // namespace

FittedVariant fit_variant(const InlineVariantDefinition& definition, const InlineArrays& arrays) {
  FittedVariant fitted{.name = definition.name,
                       .kernel = make_inline_kernel(definition.kernel, arrays.inputs()),
                       .textures = definition.textures,
                       .surfaces = definition.surfaces,
                       .globals = definition.globals,
                       .texts = definition.texts};
  const auto parameters = fitted.kernel->inputs();
  if (!definition.arguments && !parameters)
    throw SpecError("it needs 'args': the names of inputs and outputs in the kernel's order");
  fitted.arguments = definition.arguments ? *definition.arguments : arguments_by_name(*parameters);
  for (std::size_t k = 0; k < fitted.arguments.size(); ++k) {
    InlineArgument& argument = fitted.arguments[k];
    require_known(argument.array, fitted, arrays);
    if (argument.array.empty() && !argument.dtype) argument.dtype = fitted.kernel->number_dtype(k);
  }
  require_texels(fitted, arrays);
  for (const InlineGlobal& global : fitted.globals) require_known(global.array, fitted, arrays);
  Forms forms(fitted, arrays);
  if (parameters && fitted.arguments.size() == parameters->size())
    append_outputs(fitted, arrays, forms);
  for (const InlineArgument& argument : fitted.arguments)
    add_output(argument.array, fitted, arrays);
  for (const InlineSurface& surface : fitted.surfaces) add_output(surface.of, fitted, arrays);
  for (const InlineGlobal& global : fitted.globals) add_output(global.array, fitted, arrays);
  if (fitted.outputs.empty()) throw SpecError("none of its arguments is an output");
  fitted.kernel->check(forms.arguments());
  require_writable_outputs(fitted, arrays);
  return fitted;
}

}  // namespace kernelbatch
