#include "core/kernel/reduction_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

bool contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void finish_loop(LoopPlan& plan, std::size_t arrays) {
  if (plan.extents.empty()) {
    plan.extents.push_back(1);
    for (std::size_t k = 0; k < arrays; ++k) plan.strides[k].push_back(0);
  }
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Smallest power of two that is at least `value`, at most `limit` (a power of two).
int power_of_two(std::int64_t value, int limit) {
  if (value >= limit) return limit;
  return static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

/// Elements that one aligned load of every input can bring along the inner axis; 1 where some input
/// is not dense or not aligned.
int pack_width(const ReductionLoops& loops, std::span<const Array> inputs,
               const DeviceProperties& device) {
  if (inputs.empty() || device.vector_bytes == 0 || loops.inner.rank() != 1) return 1;
  std::size_t largest = 1;
  for (const Array& input : inputs) largest = std::max(largest, size_of(input.dtype()));
  const int pack = device.vector_bytes / static_cast<int>(largest);
  if (pack <= 1) return 1;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    const std::int64_t stride = loops.inner.strides[k][0];
    if (stride == 0) continue;
    const std::int64_t bytes = item * pack;
    if (stride != item || reinterpret_cast<std::int64_t>(inputs[k].data()) % bytes != 0) return 1;
    for (const std::int64_t outer : loops.outer.strides[k])
      if (outer % bytes != 0) return 1;
  }
  return pack;
}

/// Whether neighbouring outputs lie closer together than neighbouring elements of one output.
bool outputs_are_closer(const ReductionLoops& loops, std::span<const Array> inputs) {
  std::size_t widest = 0;
  for (std::size_t k = 1; k < inputs.size(); ++k)
    if (inputs[k].size() > inputs[widest].size()) widest = k;
  if (inputs.empty() || loops.inner.count <= 1) return true;
  const auto last = [](const Strides& strides) { return std::abs(strides[strides.count() - 1]); };
  const std::int64_t outer = last(loops.outer.strides[widest]);
  const std::int64_t inner = last(loops.inner.strides[widest]);
  return loops.outer.count > 1 && outer != 0 && (inner == 0 || outer < inner);
}

}  // namespace

std::vector<int> normalise_axes(const std::vector<int>& axes, bool all, int count,
                                const std::string& name) {
  std::vector<int> result;
  if (all) {
    for (int axis = 0; axis < count; ++axis) result.push_back(axis);
    return result;
  }
  for (const int axis : axes) {
    const int positive = axis < 0 ? axis + count : axis;
    if (positive < 0 || positive >= count)
      throw SpecError(fmt::format("'{}': axis {} is out of range for {} axes", name, axis, count));
    if (contains(result, positive))
      throw SpecError(fmt::format("'{}': axis {} is named twice", name, axis));
    result.push_back(positive);
  }
  std::sort(result.begin(), result.end());
  return result;
}

ReductionLoops plan_reduction(std::span<const Array> inputs, const Shape& shape,
                              const std::vector<int>& axes, bool keepdims) {
  ReductionLoops loops;
  loops.outer.strides.resize(inputs.size());
  loops.inner.strides.resize(inputs.size());
  for (int axis = 0; axis < shape.count(); ++axis) {
    const bool is_reduced = contains(axes, axis);
    LoopPlan& part = is_reduced ? loops.inner : loops.outer;
    part.extents.push_back(shape[axis]);
    part.count *= shape[axis];
    for (std::size_t k = 0; k < inputs.size(); ++k)
      part.strides[k].push_back(broadcast_strides(inputs[k], shape)[axis]);
    if (!is_reduced)
      loops.out_shape.push_back(shape[axis]);
    else if (keepdims)
      loops.out_shape.push_back(1);
  }
  loops.inner.shape = loops.inner.extents;
  loops.outer.shape = loops.outer.extents;
  merge_axes(loops.inner.extents, loops.inner.strides);
  finish_loop(loops.inner, inputs.size());
  return loops;
}

void add_output(ReductionLoops& loops, const Array& output, const Shape& shape,
                const std::vector<int>& axes, bool keepdims) {
  Strides strides;
  int at = 0;
  for (int axis = 0; axis < shape.count(); ++axis) {
    const bool is_reduced = contains(axes, axis);
    if (!is_reduced) strides.push_back(output.strides()[at]);
    if (!is_reduced || keepdims) ++at;
  }
  loops.outer.strides.push_back(strides);
}

void finish_outer(ReductionLoops& loops) {
  merge_axes(loops.outer.extents, loops.outer.strides);
  finish_loop(loops.outer, loops.outer.strides.size());
}

ReductionSchedule schedule_reduction(const ReductionLoops& loops, std::span<const Array> inputs,
                                     const DeviceProperties& device) {
  const std::int64_t outputs = loops.outer.count;
  const std::int64_t count = loops.inner.count;
  const int block = device.loop_block;
  ReductionSchedule s;
  s.streams = device.streams_per_thread;
  std::int64_t smallest_split = device.loop_grain;
  if (block == 1) {
    // One thread per block: its side-by-side ranges are all the parallelism within a core.
  } else if (outputs_are_closer(loops, inputs)) {
    s.outputs_fastest = true;
    s.outputs = power_of_two(outputs, count >= 64 ? device.loop_lanes : block);
    s.workers = std::min(block / s.outputs, power_of_two(ceil_divide(count, 8), block));
    smallest_split = std::int64_t{s.workers} * 32;
  } else {
    s.pack = pack_width(loops, inputs, device);
    const std::int64_t packs = ceil_divide(count, s.pack);
    s.lanes = power_of_two(packs, device.loop_lanes);
    s.in_flight = packs >= 4 * s.lanes ? 4 : 1;
    // Several warps per output only where there are too few outputs to give each warp one.
    if (s.lanes == device.loop_lanes && packs >= 8 * s.lanes) {
      const std::int64_t warps = std::int64_t{device.loop_blocks} * (block / device.loop_lanes);
      s.workers =
          power_of_two(std::min(warps / std::max<std::int64_t>(outputs, 1), packs / (4 * s.lanes)),
                       block / device.loop_lanes);
    }
    s.outputs = std::max(1, block / (s.lanes * s.workers));
    smallest_split = std::int64_t{s.lanes} * s.pack * s.workers * s.in_flight * 2;
  }

  const std::int64_t groups = ceil_divide(outputs, s.outputs);
  const std::int64_t unit = std::int64_t{s.lanes} * s.pack;
  s.split_count = std::max<std::int64_t>(count, 1);
  // Split outputs over blocks when there are fewer groups than the device holds.
  const std::int64_t wanted = device.loop_blocks / std::max<std::int64_t>(groups, 1);
  if (wanted > 1 && count > smallest_split) {
    const std::int64_t splits = std::min(wanted, ceil_divide(count, smallest_split));
    s.split_count = ceil_divide(ceil_divide(count, splits), unit) * unit;
    s.splits = ceil_divide(count, s.split_count);
  }
  s.blocks = std::clamp<std::int64_t>(groups * s.splits, 1, device.loop_blocks);
  return s;
}

}  // namespace kernelbatch
