#include "core/kernel/reduction/staged.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_roles.hpp"
#include "core/kernel/reduction/source.hpp"

namespace kernelbatch {
namespace {

ReductionKernel chunk_kernel(const ReductionDefinition& whole, bool carries, bool is_first) {
  ReductionDefinition chunk = whole;
  chunk.is_chunk = true;
  chunk.carries = carries;
  for (const char* name : kChunkOffsets)
    chunk.in.push_back({.name = name, .type = "int64", .dtype = DType::kInt64});
  if (carries)
    chunk.out.push_back(
        {.name = kChunkCarry, .type = "uint8", .dtype = DType::kUInt8, .is_raw = true});
  if (!is_first) chunk.identity.reset();
  return ReductionKernel(std::move(chunk));
}

}  // namespace

StagedReduction::StagedReduction(const ReductionDefinition& definition) : definition_(definition) {}

const ReductionKernel& StagedReduction::kernel(bool carries, bool is_first) {
  std::optional<ReductionKernel>& kernel = !carries ? alone_ : is_first ? first_ : next_;
  if (!kernel) kernel.emplace(chunk_kernel(definition_, carries, !carries || is_first));
  return *kernel;
}

StagedReduction::Cut StagedReduction::cut(const Call& call,
                                          std::span<const Argument> arguments) const {
  const std::size_t inputs = definition_.in.size();
  Cut cut;
  cut.in_count = element_count(call.shape);
  cut.out_count = element_count(call.out_shape);
  // All axes of arrays in C order: one long axis, which can be cut anywhere.
  if (static_cast<int>(call.axes.size()) == call.shape.count())
    cut.flat = flattened(call.shape, definition_.in, {}, arguments.first(inputs));
  const bool is_flat = !cut.flat.empty();
  cut.arguments.assign(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k < cut.flat.size(); ++k)
    if (arguments[k].is_array()) cut.arguments[k] = Argument(cut.flat[k]);
  cut.numbers.reserve(arguments.size());
  for (std::size_t k = inputs; is_flat && k < arguments.size(); ++k) {
    if (definition_.out[k - inputs].is_raw) continue;
    const Array& output = arguments[k].array();
    cut.arguments[k] =
        Argument(cut.numbers.emplace_back(output.with_layout(output.data(), {}, {})));
  }
  const Shape shape = is_flat ? Shape{cut.in_count} : call.shape;
  const int axis = cut_axis(shape);
  cut.extent = shape.count() == 0 ? 1 : shape[axis];
  cut.carries = is_flat || std::ranges::find(call.axes, axis) != call.axes.end() || cut.extent == 1;
  for (const int each : call.axes)
    if (!is_flat && each > axis) cut.inner_reduced *= call.shape[each];
  cut.how.keepdims = call.keepdims && !is_flat;
  if (!is_flat) cut.how.axes = AxisNumbers(call.axes);
  // Axes before it have one index and may be kept or reduced.
  const auto gone =
      static_cast<int>(std::ranges::count_if(call.axes, [&](int each) { return each < axis; }));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool is_output = k >= inputs;
    const Parameter& parameter = is_output ? definition_.out[k - inputs] : definition_.in[k];
    ChunkRole role =
        role_of(definition_.name, parameter, cut.arguments[k], shape, is_output ? -1 : axis);
    if (is_output) {
      role.is_written = true;
      role.is_read = definition_.keeps_old_value(parameter);
      if (!cut.carries && !parameter.is_raw) role.axis = call.keepdims ? axis : axis - gone;
    }
    cut.roles.push_back(std::move(role));
  }
  return cut;
}

void StagedReduction::reserve_carry(Device& device, std::int64_t outputs, DType first_output) {
  const std::size_t each =
      definition_.options.reduce_type.empty() ? size_of(first_output) : kLargestReduceType;
  const std::int64_t bytes = outputs * static_cast<std::int64_t>(each);
  if (carry_.bytes() < static_cast<std::size_t>(bytes) || carry_.device() != &device)
    carry_ = Array::on_device(device, DType::kUInt8, {bytes});
}

void StagedReduction::launch(Stream& stream, const Call& call,
                             std::span<const Argument> arguments) {
  if (element_count(call.shape) == 0)
    throw SpecError(fmt::format("'{}' has nothing to reduce", definition_.name));
  const Cut cut = this->cut(call, arguments);
  if (cut.carries) reserve_carry(stream.device(), cut.out_count, call.first_output);
  const auto after_inputs = static_cast<std::ptrdiff_t>(definition_.in.size());
  const auto work = [&](const ChunkPipeline::Chunk& chunk) {
    std::vector<Argument> all(chunk.arguments.begin(), chunk.arguments.end());
    const std::int64_t first_output = cut.carries ? 0 : chunk.first * (cut.out_count / cut.extent);
    const std::int64_t first_element = cut.carries ? chunk.first * cut.inner_reduced : 0;
    // In the order of kChunkOffsets.
    const Argument where[] = {Argument(cut.in_count),
                              Argument(cut.out_count),
                              Argument(first_output),
                              Argument(first_element),
                              Argument(chunk.first * (cut.in_count / cut.extent)),
                              Argument(std::int64_t{chunk.first > 0}),
                              Argument(std::int64_t{chunk.first + chunk.count == cut.extent})};
    all.insert(all.begin() + after_inputs, std::begin(where), std::end(where));
    if (cut.carries) all.emplace_back(carry_);
    kernel(cut.carries, chunk.first == 0).launch(chunk.stream, all, cut.how);
  };
  pipeline_.run(stream, cut.extent, cut.arguments, cut.roles, cut.carries, work);
}

}  // namespace kernelbatch
