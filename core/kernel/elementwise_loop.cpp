#include "core/kernel/elementwise_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/argument_bytes.hpp"

namespace kernelbatch {

std::string ElementwiseLoop::key() const {
  std::string key = fmt::format("{} {} {} {}", static_cast<int>(kind), pack, is_wide,
                                kind == LoopKind::kStrided ? plan.rank() : 0);
  for (const Operand& operand : operands) {
    key += operand.key();
    if (operand.is_looped() && kind != LoopKind::kStrided && is_constant(operand)) key += "~";
  }
  return key;
}

LaunchShape ElementwiseLoop::launch_shape(const ElementwiseOptions& options,
                                          const DeviceProperties& device) const {
  const int block = options.block_size.value_or(device.loop_block);
  const std::int64_t units = (plan.count + pack - 1) / pack;
  const std::int64_t per_block = std::max(block, device.loop_grain);
  LaunchShape shape;
  shape.block.x = static_cast<std::uint32_t>(device.loop_block == 1 ? 1 : block);
  shape.grid.x = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((units + per_block - 1) / per_block, 1, device.loop_blocks));
  return shape;
}

void ElementwiseLoop::add_parameters(LaunchPlan& launch) const {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    constexpr std::byte kLater[16] = {};
    std::size_t offset = 0;
    if (operand.is_scalar()) {
      offset = launch.add_parameter(kLater, size_of(operand.dtype));
    } else if (operand.parameter->is_raw) {
      const std::vector<std::int64_t> words = view_words(operand.array());
      offset = launch.add_parameter(words.data(), words.size() * sizeof(std::int64_t));
    } else {
      offset = launch.add_parameter(kLater, sizeof(void*));
    }
    launch.patch(k, offset, operand.dtype, operand.name());
  }
  launch.add_parameter(&plan.count, sizeof plan.count);
  if (kind != LoopKind::kStrided) return;
  StructBytes bytes;
  layout().append_to(bytes);
  const std::vector<std::byte> packed = bytes.finish();
  launch.add_parameter(packed.data(), packed.size());
}

ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device) {
  ElementwiseLoop loop;
  loop.operands = operands_of(definition.in, definition.out, types, arguments);
  loop.types = std::move(types);
  std::vector<Array> looped;
  for (Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    operand.slot = static_cast<int>(looped.size());
    looped.push_back(operand.array());
    if (operand.is_output) require_own_elements(operand.array(), operand.name());
  }
  const bool keeps_axes = definition.needs_axes || !definition.options.reduce_dims;
  loop.plan = plan_loop(looped, shape, !keeps_axes, !keeps_axes && !definition.sees_order);
  loop.is_wide = loop.plan.is_wide();
  if (keeps_axes || !loop.plan.is_dense(looped)) {
    loop.kind = LoopKind::kStrided;
    return loop;
  }
  std::size_t largest = 1;
  bool is_aligned = true;
  for (const Array& array : looped) {
    largest = std::max(largest, size_of(array.dtype()));
    is_aligned = is_aligned && reinterpret_cast<std::uintptr_t>(array.data()) % 16 == 0;
  }
  const int pack = device.vector_bytes / static_cast<int>(largest);
  // A skipped store concerns one element: a pack could not leave it out. And what a text's own loop
  // reads for neighbouring elements lies side by side for neighbouring threads, not for one: a pack
  // would read with gaps, one element after the other.
  if (pack > 1 && is_aligned && !definition.skips_stores && !definition.has_loops) {
    loop.kind = LoopKind::kPacked;
    loop.pack = pack;
  }
  return loop;
}

}  // namespace kernelbatch
