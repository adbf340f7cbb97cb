#include "core/kernel/elementwise/tile_order.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Least share of a run's threads that have elements, if their number is a power of two.
constexpr double kBusyShare = 0.8;

}  // namespace

void TileOrder::choose_lanes() {
  const int packs = static_cast<int>(ceil_divide(run + shift, pack));
  lanes = power_of_two(packs);
  if (packs < kBusyShare * lanes) lanes = packs;
}

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

std::vector<int> axes_by_step(const LoopPlan& plan, const Strides& strides) {
  std::vector<int> axes;
  for (int axis = plan.rank() - 1; axis >= 0; --axis)
    if (strides[axis] != 0 && plan.extents[axis] > 1) axes.push_back(axis);
  std::ranges::stable_sort(
      axes, [&](int a, int b) { return std::abs(strides[a]) < std::abs(strides[b]); });
  return axes;
}

std::int64_t least_step(const LoopPlan& plan, const TileArray& array) {
  std::int64_t least = 0;
  for (int axis = 0; axis < plan.rank(); ++axis)
    if (const std::int64_t step = std::abs(array.strides[axis]); step > 0)
      least = least == 0 ? step : std::min(least, step);
  return least;
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

bool starts_words(const LoopPlan& plan, const TileArray& array, const TileOrder& order,
                  std::int64_t bytes) {
  if (array.alignment % bytes != 0) return false;
  const auto end = order.axes.begin() + order.run_axes;
  for (int axis = 0; axis < plan.rank(); ++axis)
    if (std::find(order.axes.begin(), end, axis) == end && plan.extents[axis] > 1 &&
        array.strides[axis] % bytes != 0)
      return false;
  return true;
}

TileOrder copied_order(const LoopPlan& plan, const TileArray& array,
                       const std::vector<int>& extents, int word) {
  TileOrder order = order_of(plan, array.strides, extents);
  if (order.axes.empty() || array.strides[order.axes.front()] != array.item)
    order.run = 1, order.run_axes = 0;
  order.pack = word / static_cast<int>(array.item);
  order.shift =
      order.run % order.pack == 0 && starts_words(plan, array, order, word) ? 0 : order.pack - 1;
  order.choose_lanes();
  return order;
}

}  // namespace kernelbatch
