// The work of a variant of `workload: inline`, with its arrays, textures and variables; its cost.
// device, and its cost.
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

/// Arrays on a run's device; each input is copied there once, even if several views use it.
struct InlineProblem::OnDevice final : Place {
  explicit OnDevice(Run& used) : run(used) {}
  Run& run;
  mutable std::map<const std::byte*, Array> copies = {};
  Array input(const InlineInput& given) const override {
    auto found = copies.find(given.base.data());
    if (found == copies.end())
      found = copies.emplace(given.base.data(), run.to_device(given.base)).first;
    return same_view(given.array, given.base, found->second);
  }
  Array output(const std::string& name) const override { return run.output(name); }
};

Work InlineProblem::prepare(std::string_view name, Run& run) const {
  if (name == "reference")
    return reference_.kind == InlineReference::Kind::kCpp
               ? cpp_reference(reference_, inputs_, reference_outputs_, run)
               : copy_values(run);
  const Variant& chosen = variant(name);
  const OnDevice place(run);
  const auto named = [&](const std::string& array) { return array_of({.array = array}, place); };
  // Arguments point to members of the same struct.
  struct Call {
    Handles handles;
    std::deque<Array> arrays;
    std::vector<Argument> arguments;
    std::vector<std::pair<TextureArray, Array>> drawn;  // surfaces and their outputs
    std::vector<std::pair<Array, Array>> read_back;     // variables and their outputs
  };
  auto call = std::make_unique<Call>();
  Handles& handles = call->handles;
  for (const InlineTexture& texture : chosen.textures) {
    const InlineInput& of = *input(texture.of);
    if (texture.is_linear) {
      handles.textures.emplace(texture.name,
                               Texture(place.input(of), texture.channels, texture.sampling));
      continue;
    }
    const TextureArray texels(run.device(), of.array.dtype(), texture.channels,
                              texture_extent(of.array, texture.channels));
    TextureArray(texels).copy_from(contiguous(of.array), run.stream());
    handles.textures.emplace(texture.name, Texture(texels, texture.sampling));
  }
  for (const InlineSurface& surface : chosen.surfaces) {
    const Array output = run.output(surface.of);
    TextureArray texels(run.device(), output.dtype(), surface.channels,
                        texture_extent(output, surface.channels));
    handles.surfaces.emplace(surface.name, Surface(texels));
    call->drawn.emplace_back(texels, output);
  }
  for (const InlineGlobal& global : chosen.globals) {
    const Array array = named(global.array);
    const Array variable =
        chosen.kernel->global(run.device(), global.name, {array.dtype(), array.shape()});
    if (input(global.array) != nullptr)
      copy(array, variable, run.stream());
    else
      call->read_back.emplace_back(variable, array);
  }
  call->arguments = make_arguments(
      chosen.arguments, call->arrays,
      [&](const InlineArgument& argument) { return array_of(argument, place); }, inputs_, handles);
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
  const Variant& chosen = variant(name);
  for (const InlineArgument& argument : chosen.arguments)
    if (const InlineInput* given = input(argument.array); given != nullptr && !given->scalar)
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
