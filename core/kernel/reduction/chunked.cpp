#include "core/kernel/reduction/chunked.hpp"

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

ChunkedReduction::ChunkedReduction(const ReductionDefinition& definition)
    : definition_(definition) {}

const ReductionKernel& ChunkedReduction::kernel(bool carries, bool is_first) {
  std::optional<ReductionKernel>& kernel = !carries ? alone_ : is_first ? first_ : next_;
  if (!kernel) kernel.emplace(chunk_kernel(definition_, carries, !carries || is_first));
  return *kernel;
}

void ChunkedReduction::launch(Stream& stream, const Call& call,
                              std::span<const Argument> arguments) {
  const std::size_t inputs = definition_.in.size();
  const std::int64_t in_count = element_count(call.shape);
  const std::int64_t out_count = element_count(call.out_shape);
  if (in_count == 0) throw SpecError(fmt::format("'{}' has nothing to reduce", definition_.name));
  // All axes of arrays in C order: one long axis, which can be cut anywhere.
  const std::vector<Array> flat =
      static_cast<int>(call.axes.size()) == call.shape.count()
          ? flattened(call.shape, definition_.in, {}, arguments.first(inputs))
          : std::vector<Array>{};
  std::vector<Argument> list(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k < flat.size(); ++k)
    if (list[k].is_array()) list[k] = Argument(flat[k]);
  std::vector<Array> numbers;  // outputs, of one element each, without axes
  numbers.reserve(list.size());
  for (std::size_t k = inputs; !flat.empty() && k < list.size(); ++k)
    if (!definition_.out[k - inputs].is_raw)
      list[k] = Argument(
          numbers.emplace_back(list[k].array().with_layout(list[k].array().data(), {}, {})));
  const Shape shape = flat.empty() ? call.shape : Shape{in_count};
  const int axis = cut_axis(shape);
  const std::int64_t extent = shape.count() == 0 ? 1 : shape[axis];
  const bool carries =
      !flat.empty() || std::ranges::find(call.axes, axis) != call.axes.end() || extent == 1;

  std::vector<ChunkRole> roles;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool is_output = k >= inputs;
    const Parameter& parameter = is_output ? definition_.out[k - inputs] : definition_.in[k];
    ChunkRole role = role_of(definition_.name, parameter, list[k], shape, is_output ? -1 : axis);
    if (is_output) {
      role.is_written = true;
      role.is_read = false;
      // Before the axis stand only axes of one index, kept or gone.
      const auto gone =
          static_cast<int>(std::ranges::count_if(call.axes, [&](int each) { return each < axis; }));
      if (!carries && !parameter.is_raw) role.axis = call.keepdims ? axis : axis - gone;
    }
    roles.push_back(std::move(role));
  }
  std::int64_t inner_reduced = 1;  // elements that one index of the axis adds to an output
  for (const int each : call.axes)
    if (flat.empty() && each > axis) inner_reduced *= call.shape[each];
  if (carries) {
    const std::size_t each =
        definition_.options.reduce_type.empty() ? size_of(call.first_output) : kLargestReduceType;
    const std::int64_t bytes = out_count * static_cast<std::int64_t>(each);
    if (carry_.bytes() < static_cast<std::size_t>(bytes) || carry_.device() != &stream.device())
      carry_ = Array::on_device(stream.device(), DType::kUInt8, {bytes});
  }
  ReductionCall how;
  how.keepdims = call.keepdims && flat.empty();
  if (flat.empty()) how.axes = AxisNumbers(call.axes);

  pipeline_.run(stream, extent, list, roles, carries, [&](const ChunkPipeline::Chunk& chunk) {
    std::vector<Argument> all(chunk.arguments.begin(), chunk.arguments.end());
    const std::int64_t step = in_count / extent;
    const Argument where[] = {
        Argument(in_count),
        Argument(out_count),
        Argument(carries ? std::int64_t{0} : chunk.first * (out_count / extent)),
        Argument(carries ? chunk.first * inner_reduced : std::int64_t{0}),
        Argument(chunk.first * step),
        Argument(std::int64_t{chunk.first > 0})};
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(inputs), std::begin(where),
               std::end(where));
    if (carries) all.emplace_back(carry_);
    kernel(carries, chunk.first == 0).launch(chunk.stream, all, how);
  });
}

}  // namespace kernelbatch
