// The work of a variant of `workload: inline`, with its arrays, textures and variables; its cost.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

#include "core/base/error.hpp"
#include "core/inline/arguments.hpp"
#include "core/inline/cpp_reference.hpp"
#include "core/inline/problem.hpp"

namespace kernelbatch {

namespace {

/// Arrays on a run's device; each input is copied there once, even if several views use it.
class OnDevice final : public ArrayPlace {
 public:
  explicit OnDevice(Run& run) : run_(run) {}
  Array input(const InlineInput& given) const override {
    auto found = copies_.find(given.base.data());
    if (found == copies_.end())
      found = copies_.emplace(given.base.data(), run_.to_device(given.base)).first;
    return same_view(given.array, given.base, found->second);
  }
  Array output(const std::string& name) const override { return run_.output(name); }

 private:
  Run& run_;
  mutable std::map<const std::byte*, Array> copies_ = {};
};

/// A call's arguments, which point to members of the same struct.
struct PreparedCall {
  Handles handles;
  std::deque<Array> arrays;
  std::vector<Argument> arguments;
  std::vector<std::pair<TextureArray, Array>> drawn;  // surfaces and their outputs
  std::vector<std::pair<Array, Array>> read_back;     // variables and their outputs
};

void add_textures(PreparedCall& call, const FittedVariant& variant, const InlineArrays& arrays,
                  const OnDevice& place, Run& run) {
  for (const InlineTexture& texture : variant.textures) {
    const InlineInput& of = *arrays.input(texture.of);
    if (texture.is_linear) {
      call.handles.textures.emplace(texture.name,
                                    Texture(place.input(of), texture.channels, texture.sampling));
      continue;
    }
    const TextureArray texels(run.device(), of.array.dtype(), texture.channels,
                              texture_extent(of.array, texture.channels));
    TextureArray(texels).copy_from(contiguous(of.array), run.stream());
    call.handles.textures.emplace(texture.name, Texture(texels, texture.sampling));
  }
}

void add_surfaces(PreparedCall& call, const FittedVariant& variant, Run& run) {
  for (const InlineSurface& surface : variant.surfaces) {
    const Array output = run.output(surface.of);
    TextureArray texels(run.device(), output.dtype(), surface.channels,
                        texture_extent(output, surface.channels));
    call.handles.surfaces.emplace(surface.name, Surface(texels));
    call.drawn.emplace_back(texels, output);
  }
}

void add_globals(PreparedCall& call, const FittedVariant& variant, const InlineArrays& arrays,
                 const OnDevice& place, Run& run) {
  for (const InlineGlobal& global : variant.globals) {
    const Array array = arrays.array_of({.array = global.array}, place);
    const Array variable =
        variant.kernel->global(run.device(), global.name, {array.dtype(), array.shape()});
    if (arrays.input(global.array) != nullptr)
      copy(array, variable, run.stream());
    else
      call.read_back.emplace_back(variable, array);
  }
}

}  // namespace

Work InlineProblem::prepare(std::string_view name, Run& run) const {
  if (name == "reference")
    return reference_.kind == InlineReference::Kind::kCpp
               ? cpp_reference(reference_, arrays_.inputs(), reference_outputs_, run)
               : copy_values(run);
  const FittedVariant& chosen = variant(name);
  const OnDevice place(run);
  auto call = std::make_unique<PreparedCall>();
  add_textures(*call, chosen, arrays_, place, run);
  add_surfaces(*call, chosen, run);
  add_globals(*call, chosen, arrays_, place, run);
  call->arguments = make_arguments(
      chosen.arguments, call->arrays,
      [&](const InlineArgument& argument) { return arrays_.array_of(argument, place); },
      arrays_.inputs(), call->handles);
  return [call = std::move(call), &chosen](Stream& stream) {
    for (auto& [texels, output] : call->drawn) texels.copy_from(output, stream);
    for (const auto& [variable, output] : call->read_back) copy(output, variable, stream);
    try {
      chosen.kernel->call(stream, call->arguments);
    } catch (const CompileError& error) {
      throw in_job_lines(error, chosen.texts);
    }
    for (const auto& [texels, output] : call->drawn) texels.copy_to(output, stream);
    for (const auto& [variable, output] : call->read_back) copy(variable, output, stream);
  };
}

Cost InlineProblem::cost_of(std::string_view name) const {
  if (name == "reference") return {std::nan(""), std::nan(""), std::nan("")};
  Cost cost;
  cost.flops = std::nan("");
  const FittedVariant& chosen = variant(name);
  for (const InlineArgument& argument : chosen.arguments)
    if (const InlineInput* given = arrays_.input(argument.array);
        given != nullptr && !given->scalar)
      cost.bytes_read += static_cast<double>(
          std::min(view_of(given->array, argument.steps).bytes(), given->base.bytes()));
  for (const OutputArray& output : chosen.outputs)
    cost.bytes_written += static_cast<double>(element_count(output.shape)) *
                          static_cast<double>(size_of(output.dtype));
  return cost;
}

Work InlineProblem::copy_values(Run& run) const {
  std::vector<Array> outputs;
  for (const auto& [name, values] : reference_.values) outputs.push_back(run.output(name));
  return [this, outputs] {
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (outputs[k].bytes() > 0)
        std::memcpy(outputs[k].data(), reference_.values[k].second.data(), outputs[k].bytes());
  };
}

}  // namespace kernelbatch
