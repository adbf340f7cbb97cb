// The work of a variant of `workload: inline`, with its arrays, textures and variables; its cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/base/error.hpp"
#include "core/device/address_hint.hpp"
#include "core/inline/arguments.hpp"
#include "core/inline/cpp_reference.hpp"
#include "core/inline/problem.hpp"

namespace kernelbatch {

namespace {

/// Arrays on a run's device; each input is copied there once, even if several views use it.
class OnDevice final : public ArrayPlace {
 public:
  OnDevice(Run& run, const InlineArrays& arrays) : run_(run), arrays_(arrays) {}
  Array input(const InlineInput& given) const override {
    auto found = copies_.find(given.base.data());
    if (found == copies_.end())
      found = copies_.emplace(given.base.data(), run_.to_device(given.base)).first;
    return same_view(given.array, given.base, found->second);
  }
  Array output(const std::string& name) const override {
    const InlineBuffer* const buffer = arrays_.buffer(name);
    if (buffer == nullptr || !buffer->is_scratch) return run_.output(name);
    auto found = scratch_.find(name);
    if (found == scratch_.end())
      found = scratch_.emplace(name, run_.scratch(buffer->form.dtype, buffer->form.shape)).first;
    return found->second;
  }
  const InlineArrays& arrays() const noexcept { return arrays_; }
  Run& run() const noexcept { return run_; }

 private:
  Run& run_;
  const InlineArrays& arrays_;
  mutable std::map<const std::byte*, Array> copies_ = {};
  mutable std::map<std::string, Array> scratch_ = {};
};

/// A step's arguments, which point to members of the same struct.
struct PreparedStep {
  Handles handles;
  ArgumentMemory memory;
  std::vector<Argument> arguments;
  std::vector<std::pair<TextureArray, Array>> drawn;  // surfaces and their outputs
  std::vector<std::pair<Array, Array>> read_back;     // variables and their outputs
};

void add_textures(PreparedStep& prepared, const FittedStep& step, const OnDevice& place) {
  Run& run = place.run();
  for (const InlineTexture& texture : step.textures) {
    const InlineInput& of = *place.arrays().input(texture.of);
    if (texture.is_linear) {
      prepared.handles.textures.emplace(
          texture.name, Texture(place.input(of), texture.channels, texture.sampling));
      continue;
    }
    const TextureArray texels(run.device(), of.array.dtype(), texture.channels,
                              texture_extent(of.array, texture.channels));
    TextureArray(texels).copy_from(contiguous(of.array), run.stream());
    prepared.handles.textures.emplace(texture.name, Texture(texels, texture.sampling));
  }
}

void add_surfaces(PreparedStep& prepared, const FittedStep& step, const OnDevice& place) {
  for (const InlineSurface& surface : step.surfaces) {
    const Array output = place.output(surface.of);
    TextureArray texels(place.run().device(), output.dtype(), surface.channels,
                        texture_extent(output, surface.channels));
    prepared.handles.surfaces.emplace(surface.name, Surface(texels));
    prepared.drawn.emplace_back(texels, output);
  }
}

void add_globals(PreparedStep& prepared, const FittedStep& step, const OnDevice& place) {
  Run& run = place.run();
  for (const InlineGlobal& global : step.globals) {
    const Array array = place.arrays().array_of({.array = global.array}, place);
    const Array variable =
        step.kernel->global(run.device(), global.name, {array.dtype(), array.shape()});
    if (place.arrays().input(global.array) != nullptr)
      copy(array, variable, run.stream());
    else
      prepared.read_back.emplace_back(variable, array);
  }
}

Array place_array(const InlineAddress& wanted, const OnDevice& place) {
  const AddressHint hint(wanted.address);
  return place.arrays().array_of({.array = wanted.array}, place);
}

/// Allocates the arrays with addresses before others can occupy these. If one of them is not free,
/// only a kernel that gets the array itself as an argument can run.
void place_arrays(const FittedStep& step, const OnDevice& place) {
  const bool has_structs = std::ranges::any_of(
      step.arguments, [](const InlineArgument& argument) { return !argument.bytes.empty(); });
  for (const InlineAddress& wanted : step.addresses) {
    const auto address = reinterpret_cast<std::uintptr_t>(place_array(wanted, place).data());
    const bool is_argument = std::ranges::find(step.arguments, wanted.array,
                                               &InlineArgument::array) != step.arguments.end();
    if (address == wanted.address || (!has_structs && is_argument)) continue;
    const std::string reason = fmt::format(
        "the kernel reaches '{}' through a pointer in a struct or in memory, and its address {:#x} "
        "is not available here",
        wanted.array, wanted.address);
    if (place.run().device().properties().is_simt()) throw AddressError(reason);
    throw UnsupportedError(reason);
  }
}

void prepare_step(PreparedStep& prepared, const FittedStep& step, const OnDevice& place) {
  place_arrays(step, place);
  add_textures(prepared, step, place);
  add_surfaces(prepared, step, place);
  add_globals(prepared, step, place);
  prepared.arguments = make_arguments(
      step.arguments, prepared.memory,
      [&](const InlineArgument& argument) { return place.arrays().array_of(argument, place); },
      place.arrays().inputs(), prepared.handles);
}

void call_step(PreparedStep& prepared, const FittedStep& step, Stream& stream) {
  for (auto& [texels, output] : prepared.drawn) texels.copy_from(output, stream);
  for (const auto& [variable, output] : prepared.read_back) copy(output, variable, stream);
  try {
    step.kernel->call(stream, prepared.arguments);
  } catch (const CompileError& error) {
    throw in_job_lines(error, step.texts);
  }
  for (const auto& [texels, output] : prepared.drawn) texels.copy_to(output, stream);
  for (const auto& [variable, output] : prepared.read_back) copy(variable, output, stream);
}

}  // namespace

Work InlineProblem::prepare(std::string_view name, Run& run) const {
  if (name == "reference")
    return reference_.kind == InlineReference::Kind::kCpp
               ? cpp_reference(reference_, arrays_.inputs(), reference_outputs_, run)
               : copy_values(run);
  const FittedVariant& chosen = variant(name);
  const OnDevice place(run, chosen.arrays);
  // Arguments point to members of the steps.
  auto steps = std::make_unique<std::deque<PreparedStep>>(chosen.steps.size());
  for (std::size_t k = 0; k < chosen.steps.size(); ++k)
    prepare_step((*steps)[k], chosen.steps[k], place);
  return [steps = std::move(steps), &chosen](Stream& stream) {
    for (std::size_t k = 0; k < chosen.steps.size(); ++k)
      call_step((*steps)[k], chosen.steps[k], stream);
  };
}

Cost InlineProblem::cost_of(std::string_view name) const {
  if (name == "reference") return {std::nan(""), std::nan(""), std::nan("")};
  Cost cost;
  cost.flops = std::nan("");
  const FittedVariant& chosen = variant(name);
  std::set<std::string> read;  // by earlier steps
  for (const FittedStep& step : chosen.steps) {
    for (const InlineArgument& argument : step.arguments)
      if (const InlineInput* given = arrays_.input(argument.array);
          given != nullptr && !given->scalar && !read.contains(argument.array))
        cost.bytes_read += static_cast<double>(
            std::min(view_of(given->array, argument.steps).bytes(), given->base.bytes()));
    for (const InlineArgument& argument : step.arguments) read.insert(argument.array);
  }
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
        std::memcpy(outputs[k].data(), reference_.values[k].second.shown().data(),
                    outputs[k].bytes());
  };
}

}  // namespace kernelbatch
