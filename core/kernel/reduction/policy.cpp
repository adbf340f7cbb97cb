#include "core/kernel/reduction/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
constexpr int kMostBriefLoads = 4;  ///< of one thread, over all its rows

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

/// The widest pack, at most `pack`, of elements of `item` bytes whose size divides the offset.
int aligned_pack(int pack, std::int64_t item, std::int64_t offset) {
  while (pack > 1 && offset % (item * pack) != 0) pack /= 2;
  return pack;
}
int aligned_pack(int pack, std::int64_t item, const Strides& strides, int but_axis) {
  for (int axis = 0; axis < strides.count(); ++axis)
    if (axis != but_axis) pack = aligned_pack(pack, item, strides[axis]);
  return pack;
}

/// Neighbouring elements that one aligned load of every input covers along the last inner axis; 1
/// where an input has gaps there or is not aligned.
int pack_width(const ReductionLoops& loops, std::span<const Array> inputs,
               const DeviceProperties& device) {
  if (inputs.empty() || device.vector_bytes == 0) return 1;
  std::size_t largest = 1;
  for (const Array& input : inputs) largest = std::max(largest, size_of(input.dtype()));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loops.inner.rank() - 1;
  while (pack > 1 && (last > 0 ? loops.inner.extents[last] % pack != 0 : loops.inner.count < pack))
    pack /= 2;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    const std::int64_t stride = loops.inner.strides[k][last];
    if (stride == 0) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(inputs[k].data()));
    pack = aligned_pack(pack, item, loops.inner.strides[k], last);
    pack = aligned_pack(pack, item, loops.outer.strides[k], -1);
  }
  return pack;
}

/// Neighbouring outputs whose elements one aligned load of every input covers; 1 where an array has
/// gaps there or is not aligned.
int across_width(const ReductionLoops& loops, std::size_t inputs,
                 std::span<const Array* const> arrays, const DeviceProperties& device) {
  if (inputs == 0 || device.vector_bytes == 0) return 1;
  std::size_t largest = 1;
  for (const Array* array : arrays)
    if (array != nullptr) largest = std::max(largest, size_of(array->dtype()));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loops.outer.rank() - 1;
  while (pack > 1 && loops.outer.extents[last] % pack != 0) pack /= 2;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k] == nullptr) return 1;
    const auto item = static_cast<std::int64_t>(size_of(arrays[k]->dtype()));
    const std::int64_t stride = loops.outer.strides[k][last];
    if (stride == 0 && k < inputs) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(arrays[k]->data()));
    pack = aligned_pack(pack, item, loops.outer.strides[k], last);
    if (k < inputs) pack = aligned_pack(pack, item, loops.inner.strides[k], -1);
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
                                     std::span<const Array* const> arrays,
                                     const ReductionFreedom& freedom,
                                     const DeviceProperties& device) {
  const std::int64_t outputs = loops.outer.count;
  const std::int64_t count = loops.inner.count;
  const int block = device.loop_block;
  const std::int64_t threads = std::int64_t{device.loop_blocks} * block;
  ReductionSchedule s;
  s.commutes = freedom.commutes;
  std::int64_t smallest_split = device.loop_grain;
  int share = 1;  // how many times larger each of the fewer blocks is
  if (!device.is_simt()) {
    // One thread per block: independent accumulators are all the parallelism within a core.
    s.streams = device.streams_per_thread;
    const std::int64_t neighbours = loops.outer.extents[loops.outer.rank() - 1];
    if (!inputs.empty() && neighbours > 1 && outputs_are_closer(loops, inputs)) {
      // As many accumulators as fit into the L1 cache beside the data that is read.
      const std::int64_t tiles = ceil_divide(neighbours, freedom.joins_outputs ? 2048 : 64);
      s.tile = static_cast<int>(ceil_divide(neighbours, tiles));
      // Several long rows at once spare loads and stores of sums. What the processor fetches ahead
      // suffers where the rows are short, but for those that share a line of the cache.
      const std::size_t row = static_cast<std::size_t>(s.tile) * size_of(inputs[0].dtype());
      s.in_flight = row >= 2048 ? 8 : row > 64 ? 1 : 4;
      smallest_split = std::max<std::int64_t>(smallest_split / s.tile, 64);
    }
  } else if (outputs_are_closer(loops, inputs)) {
    s.walk = ReductionWalk::kColumns;
    if (freedom.joins_outputs) s.across = across_width(loops, inputs.size(), arrays, device);
    s.in_flight =
        static_cast<int>(std::min<std::int64_t>(s.across > 1 ? 4 : 8, power_of_two(count, 8)));
    const std::int64_t units = outputs / s.across;
    // Few outputs mean few blocks that share each and whose results the last of them joins: larger
    // blocks, and fewer.
    if (units < device.loop_lanes) share = 2;
    const int whole = share * block;
    // Enough workers for twice the threads that the device holds at once, but none without
    // elements.
    const int most = whole / power_of_two(units, device.loop_lanes);
    s.workers =
        std::min(power_of_two(ceil_divide(2 * threads, std::max<std::int64_t>(units, 1)), most),
                 power_of_two(ceil_divide(count, s.in_flight), most));
    s.outputs = std::min(whole / s.workers, power_of_two(units, whole));
    smallest_split = std::int64_t{s.workers} * s.in_flight * 2;
  } else {
    s.pack = pack_width(loops, inputs, device);
    const std::int64_t packs = ceil_divide(count, s.pack);
    s.lanes = power_of_two(packs, device.loop_lanes);
    const std::int64_t loads = ceil_divide(packs, s.lanes);
    if (count > 0 && loads <= kMostBriefLoads && outputs * s.lanes >= 2 * threads) {
      s.walk = ReductionWalk::kBrief;
      s.in_flight = static_cast<int>(loads);
      s.rows = std::max(1, kMostBriefLoads / s.in_flight);
    } else {
      s.walk = ReductionWalk::kLanes;
      s.in_flight = packs >= 8 * s.lanes && s.pack == 1 && s.commutes ? 8
                    : packs >= 4 * s.lanes                            ? 4
                                                                      : 1;
      // Several warps per output only where there are too few outputs to give each warp one.
      if (s.lanes == device.loop_lanes && packs >= 8 * s.lanes) {
        const std::int64_t warps = threads / device.loop_lanes;
        s.workers = power_of_two(
            std::min(warps / std::max<std::int64_t>(outputs, 1), packs / (4 * s.lanes)),
            block / device.loop_lanes);
      }
    }
    s.outputs = std::max(1, block / (s.lanes * s.workers));
    smallest_split = std::int64_t{s.lanes} * s.pack * s.workers * s.in_flight * 2;
  }

  const std::int64_t neighbours = s.tile > 1 ? loops.outer.extents[loops.outer.rank() - 1] : 1;
  s.groups = s.tile > 1 ? outputs / neighbours * ceil_divide(neighbours, s.tile)
                        : ceil_divide(outputs, std::int64_t{s.outputs} * s.across);
  const std::int64_t unit = std::int64_t{s.lanes} * s.pack;
  s.split_count = std::max<std::int64_t>(count, 1);
  // Split outputs over blocks when there are fewer groups than the device holds. A few more groups
  // than fit would leave it nearly idle while the last ones run: rather several waves of blocks.
  const std::int64_t held = device.loop_blocks / (share * share);
  const std::int64_t wanted = device.is_simt() && s.groups > held / 4 && s.groups < 4 * held
                                  ? ceil_divide(4 * held, s.groups)
                                  : held / std::max<std::int64_t>(s.groups, 1);
  if (s.walk != ReductionWalk::kBrief && wanted > 1 && count > smallest_split) {
    const std::int64_t splits = std::min(wanted, ceil_divide(count, smallest_split));
    s.split_count = ceil_divide(ceil_divide(count, splits), unit) * unit;
    s.splits = ceil_divide(count, s.split_count);
  }
  s.blocks = std::clamp<std::int64_t>(ceil_divide(s.groups, s.rows) * s.splits, 1,
                                      device.is_simt() ? kMostBlocks : device.loop_blocks);
  return s;
}

}  // namespace kernelbatch
