#include "core/kernel/elementwise/staged.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_roles.hpp"

namespace kernelbatch {
namespace {

ElementwiseKernel chunk_kernel(const ElementwiseDefinition& whole) {
  const auto refuse = [&](const char* why) {
    throw OutOfMemoryError(
        fmt::format("the arrays of '{}' do not fit on the device, and its text {}, so that they "
                    "cannot pass through it in pieces",
                    whole.name, why));
  };
  const auto& options = whole.options;
  if (whole.needs_axes) refuse("asks for indices along axes");
  if (!options.loop_prep.empty() || !options.after_loop.empty())
    refuse("does more than one element needs (loop_prep, after_loop)");
  ElementwiseDefinition chunk = whole;
  chunk.is_chunk = true;
  for (const char* name : {kChunkFirst, kChunkCount})
    chunk.in.push_back({.name = name, .type = "int64", .dtype = DType::kInt64});
  return ElementwiseKernel(std::move(chunk));
}

}  // namespace

StagedElementwise::StagedElementwise(const ElementwiseDefinition& definition)
    : definition_(definition), kernel_(chunk_kernel(definition)) {}

void StagedElementwise::launch(Stream& stream, const Shape& shape,
                               std::span<const Argument> arguments) {
  const std::size_t inputs = definition_.in.size();
  const std::vector<Array> flat = flattened(shape, definition_.in, definition_.out, arguments);
  std::vector<Argument> list(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k < flat.size(); ++k)
    if (list[k].is_array()) list[k] = Argument(flat[k]);
  const Shape looped = flat.empty() ? shape : Shape{element_count(shape)};
  const int axis = cut_axis(looped);
  std::vector<ChunkRole> roles;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool is_output = k >= inputs;
    const Parameter& parameter = is_output ? definition_.out[k - inputs] : definition_.in[k];
    ChunkRole role = role_of(definition_.name, parameter, list[k], looped, axis);
    role.is_written = is_output;
    role.is_read = !is_output || definition_.keeps_old_value(parameter);
    roles.push_back(std::move(role));
  }
  const std::int64_t count = element_count(looped);
  const std::int64_t extent = looped.count() == 0 ? 1 : looped[axis];
  pipeline_.run(stream, extent, list, roles, false, [&](const ChunkPipeline::Chunk& chunk) {
    std::vector<Argument> all(chunk.arguments.begin(), chunk.arguments.end());
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(inputs);
    const Argument where[] = {Argument(chunk.first * (count / extent)), Argument(count)};
    all.insert(at, std::begin(where), std::end(where));
    kernel_.launch(chunk.stream, all);
  });
}

}  // namespace kernelbatch
