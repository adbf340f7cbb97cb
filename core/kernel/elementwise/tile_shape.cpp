#include "core/kernel/elementwise/tile_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/kernel/elementwise/tile_banks.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Bytes of a run: memory is read and written at full speed in longer ones only.
constexpr std::int64_t kRunBytes = 128;
constexpr std::int64_t kLongestRun = 8192;
constexpr std::int64_t kLargestBlock = 512;
/// Largest distance of neighbours: the memory in between is mostly loaded for nothing.
constexpr std::int64_t kMostStep = 64;
/// Axes along which an array has a step, from the smallest.
std::vector<int> axes_by_step(const LoopPlan& plan, const Strides& strides) {
  std::vector<int> axes;
  for (int axis = plan.rank() - 1; axis >= 0; --axis)
    if (strides[axis] != 0 && plan.extents[axis] > 1) axes.push_back(axis);
  std::ranges::stable_sort(
      axes, [&](int a, int b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  return axes;
}

/// Bytes of the elements along `axes` that are within kRunBytes of memory.
std::int64_t run_bytes(const LoopPlan& plan, const TileArray& array, const std::vector<int>& axes) {
  const Strides& strides = array.strides;
  std::int64_t step = array.item, elements = 1;
  bool is_first = true;
  for (const int axis : axes) {
    if (strides[axis] == 0) continue;
    if (is_first) step = strides[axis], is_first = false;
    if (strides[axis] != step * elements) break;
    elements *= plan.extents[axis];
  }
  if (std::abs(step) > kMostStep) return array.item;
  return std::min(kRunBytes, elements * std::abs(step)) * array.item / std::abs(step);
}

std::int64_t product(const std::vector<int>& extents) {
  std::int64_t result = 1;
  for (const int extent : extents) result *= extent;
  return result;
}

/// Extends a tile along an array's fastest axes up to a run of `bytes`, within `most` elements.
void lengthen(std::vector<int>& tile, const LoopPlan& plan, const Strides& strides,
              std::int64_t bytes, std::int64_t most) {
  const std::vector<int> axes = axes_by_step(plan, strides);
  std::int64_t elements = 1;
  for (const int axis : axes) {
    const std::int64_t step = strides[axes.front()];
    if (strides[axis] != step * elements) return;
    int& own = tile[static_cast<std::size_t>(axis)];
    const std::int64_t extent = plan.extents[axis];
    const std::int64_t others = product(tile) / own;
    std::int64_t wanted =
        std::min<std::int64_t>(power_of_two(ceil_divide(bytes, elements * std::abs(step))), extent);
    if (extent < 2 * wanted) wanted = extent;
    if (others * wanted > most) {
      wanted = 1;
      while (2 * wanted * others <= most && 2 * wanted < extent) wanted *= 2;
    }
    own = std::max(own, static_cast<int>(wanted));
    if (own < extent) return;
    elements *= extent;
  }
}

TileOrder order_of(const LoopPlan& plan, const Strides& strides, const std::vector<int>& tile) {
  TileOrder order;
  for (const int axis : axes_by_step(plan, strides)) {
    const int extent = tile[static_cast<std::size_t>(axis)];
    if (extent == 1) continue;
    const bool continues =
        order.run_axes == static_cast<int>(order.axes.size()) &&
        (order.axes.empty() ||
         (strides[axis] == strides[order.axes.front()] * order.run &&
          tile[static_cast<std::size_t>(order.axes.back())] == plan.extents[order.axes.back()]));
    if (continues) order.run *= extent, ++order.run_axes;
    order.axes.push_back(axis);
    order.count *= extent;
  }
  return order;
}

/// True if the outputs' fastest axes are those of an input in another order, and few of them make a
/// dense block: the threads of a warp load all of a block's lines from the L1 cache.
bool has_dense_blocks(const LoopPlan& plan, const TileArray& array,
                      const std::vector<int>& out_axes) {
  const std::vector<int> own = axes_by_step(plan, array.strides);
  std::int64_t bytes = array.item;
  for (std::size_t k = 0; k < std::min(own.size(), out_axes.size()); ++k) {
    if (array.item < 4 || std::abs(array.strides[own[k]]) != bytes) return false;
    bytes *= plan.extents[own[k]];
    if (bytes > kLargestBlock) return false;
    const auto count = static_cast<std::ptrdiff_t>(k + 1);
    if (bytes >= kRunBytes &&
        std::is_permutation(own.begin(), own.begin() + count, out_axes.begin()))
      return true;
  }
  return false;
}

/// Inputs with longer runs in their own order than in that of the outputs, the largest first.
std::vector<std::size_t> inputs_to_stage(const LoopPlan& plan,
                                         const std::vector<TileArray>& arrays) {
  const std::vector<int> out_axes = axes_by_step(plan, arrays.back().strides);
  std::vector<std::size_t> staged;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].is_output) continue;
    const std::int64_t direct = run_bytes(plan, arrays[k], out_axes);
    const std::int64_t own = run_bytes(plan, arrays[k], axes_by_step(plan, arrays[k].strides));
    if (direct < kRunBytes && own >= 2 * direct && !has_dense_blocks(plan, arrays[k], out_axes))
      staged.push_back(k);
  }
  std::ranges::stable_sort(staged, [&](auto a, auto b) { return arrays[a].item > arrays[b].item; });
  return staged;
}

/// Extents of a tile in which outputs and staged inputs have runs as long as possible, at first all
/// of at least kRunBytes.
std::vector<int> extents_of(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                            const std::vector<std::size_t>& staged, std::int64_t most) {
  const TileArray& out = arrays.back();
  std::vector<int> extents(static_cast<std::size_t>(plan.rank()), 1);
  for (std::int64_t run = kRunBytes; run <= kLongestRun; run *= 2) {
    lengthen(extents, plan, out.strides, run, most);
    for (const std::size_t k : staged) lengthen(extents, plan, arrays[k].strides, run, most);
  }
  return extents;
}

}  // namespace

bool is_even(const Strides& strides, const std::vector<int>& extents, const TileOrder& order) {
  std::int64_t elements = 1;
  for (int k = 0; k < order.run_axes; ++k) {
    const int axis = order.axes[static_cast<std::size_t>(k)];
    if (strides[axis] != strides[order.axes.front()] * elements) return false;
    elements *= extents[static_cast<std::size_t>(axis)];
  }
  return true;
}

int aligned_pack(const LoopPlan& plan, const TileArray& array, const TileOrder& order,
                 std::int64_t vector_bytes) {
  if (order.axes.empty() || array.strides[order.axes.front()] != array.item) return 1;
  std::int64_t pack = std::max<std::int64_t>(1, vector_bytes / array.item);
  while (order.run % pack != 0 || array.alignment % (pack * array.item) != 0) pack /= 2;
  for (int axis = 0; axis < plan.rank(); ++axis) {
    const auto end = order.axes.begin() + order.run_axes;
    if (std::find(order.axes.begin(), end, axis) != end || plan.extents[axis] == 1) continue;
    while (array.strides[axis] % (pack * array.item) != 0) pack /= 2;
  }
  return static_cast<int>(pack);
}

std::optional<TileShape> choose_tile(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                                     const TileLimits& limits) {
  const std::vector<std::size_t> staged = inputs_to_stage(plan, arrays);
  if (staged.empty()) return std::nullopt;
  std::int64_t item = 1, bytes = 0, most = limits.elements;
  for (const TileArray& array : arrays) item = std::max(item, array.item);
  for (const std::size_t k : staged) bytes += arrays[k].item;
  while (most * item > limits.tile_bytes || padded(most) * bytes > limits.shared) most /= 2;
  TileShape shape{.extents = extents_of(plan, arrays, staged, most), .staged = {}};
  shape.staged.resize(arrays.size());
  const TileArray& out = arrays.back();
  shape.order = order_of(plan, out.strides, shape.extents);
  const int largest = aligned_pack(plan, out, shape.order, limits.vector_bytes * out.item / item);
  std::optional<TileShape> chosen;
  double best = std::numeric_limits<double>::infinity();
  for (int pack = largest; pack >= 1; pack /= 2) {
    shape.order.pack = pack;
    if (pack > 1 && shape.order.packs() < limits.threads) continue;
    double cost = static_cast<double>(kPackCost) / pack;
    for (const std::size_t k : staged) {
      const TileOrder own = order_of(plan, arrays[k].strides, shape.extents);
      int most_pack = aligned_pack(plan, arrays[k], own, limits.vector_bytes);
      while (most_pack > 1 && own.count / most_pack < limits.threads) most_pack /= 2;
      const Placed placed =
          place_tile(shape.extents, own, most_pack, shape.order, static_cast<int>(arrays[k].item));
      shape.staged[k] = placed.tile;
      cost += placed.cost;
    }
    if (cost < best) best = cost, chosen = shape;
  }
  return chosen;
}

}  // namespace kernelbatch
