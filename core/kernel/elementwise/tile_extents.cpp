#include "core/kernel/elementwise/tile_extents.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Elements of which parts of an axis are multiples if they are longer: those of the widest packs.
constexpr int kEvenPart = 8;
constexpr std::int64_t kSector = 32;  ///< bytes of memory that are read at once, at least
constexpr std::int64_t kLongRun = 512;
/// Costs of a tile's shape in bytes of memory that could be moved in the time. On an H200.
struct ShapeCosts {
  /// Bytes of runs that take twice as long to read, or to write, as long ones.
  double read_run = 31, written_run = 47, shared_run = 70;
  double element = 2, pack = 1;  ///< of the outputs: each, and each with its share of a pack
  double word = 1.1;             ///< of an asynchronous copy
  double division = 1.5;         ///< factor of both if threads of a run are no power of two
  double own_division = 0.23;    ///< the same of a staged input, for each with its share of a pack
  /// The same of one read by single elements, if nothing is read in the outputs' order, and several
  /// inputs are staged or a tile is one written run.
  double own_single_division = 3;
  /// To find a tile: if each is another block's, and with blocks that stay.
  double tile = 1500, copied_tile = 4300;
};
constexpr ShapeCosts kShapeCosts;

std::int64_t product(const std::vector<int>& extents) {
  std::int64_t result = 1;
  for (const int extent : extents) result *= extent;
  return result;
}

/// Extends a tile along an array's fastest axes up to a run of `wanted` elements, within `most`.
/// Longer parts of an axis are multiples of `even`.
void lengthen(std::vector<int>& tile, const LoopPlan& plan, const Strides& strides,
              std::int64_t wanted, std::int64_t most, int even = kEvenPart) {
  const std::vector<int> axes = axes_by_step(plan, strides);
  std::int64_t elements = 1;
  for (const int axis : axes) {
    if (strides[axis] != strides[axes.front()] * elements) return;
    int& own = tile[static_cast<std::size_t>(axis)];
    const std::int64_t extent = plan.extents[axis], others = product(tile) / own;
    std::int64_t part = std::clamp<std::int64_t>(wanted / elements, 1, extent);
    part = std::max<std::int64_t>(1, std::min(part, most / others));
    // Parts of about the same length.
    if (part < extent) part = ceil_divide(extent, ceil_divide(extent, part));
    if (part > even && part < extent) part = ceil_divide(part, even) * even;
    if (others * part > most) part -= even;
    own = std::max(own, static_cast<int>(part));
    if (own < extent) return;
    elements *= extent;
  }
}

/// True if an input is read from memory in the outputs' order. One that a tile repeats is read from
/// the L1 cache.
bool has_direct(const std::vector<TileArray>& arrays, const std::vector<std::size_t>& staged,
                const std::vector<int>& extents) {
  const auto repeats = [&](const TileArray& array) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (array.strides[static_cast<int>(axis)] == 0 && extents[axis] > 1) return true;
    return false;
  };
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!arrays[k].is_output && std::ranges::find(staged, k) == staged.end() && !repeats(arrays[k]))
      return true;
  return false;
}

/// Bytes of written runs that take twice as long. Short ones take longer if they share sectors with
/// runs that other blocks write; not with inputs that are read in the outputs' order, on an H200.
double written_run(const LoopPlan& plan, const TileArray& out, const TileOrder& order,
                   bool is_direct) {
  const bool is_long = order.run * out.item >= kLongRun;
  return is_direct || is_long || starts_words(plan, out, order, kSector) ? kShapeCosts.written_run
                                                                         : kShapeCosts.shared_run;
}

/// Bytes that move for an element, of which short runs and gaps need more.
double run_cost(const TileArray& array, const TileOrder& order, double of_twice) {
  const std::int64_t step =
      order.axes.empty() ? kSector : std::abs(array.strides[order.axes.front()]);
  const double share = of_twice / static_cast<double>(step < kSector ? order.run * step : kSector);
  return static_cast<double>(std::min(step, kSector)) * (1 + share * share);
}

/// Packs of a single run are not divided among threads.
double division_cost(const TileOrder& order) {
  const bool is_single = order.run == order.count && order.pack > 1;
  return is_single || std::has_single_bit(static_cast<unsigned>(order.lanes))
             ? 1
             : kShapeCosts.division;
}

/// Cost of an element of a staged input that passes through registers, for finding its run.
double own_division_cost(const LoopPlan& plan, const TileArray& array,
                         const std::vector<int>& extents, bool is_exposed) {
  TileOrder own = order_of(plan, array.strides, extents);
  own.pack = aligned_pack(plan, array, own, kLargestWord);
  own.choose_lanes();
  if (division_cost(own) <= 1) return 0;
  return is_exposed && own.pack == 1 ? kShapeCosts.own_single_division
                                     : kShapeCosts.own_division / own.pack;
}

/// Cost of an element in a tile of `extents`.
double shape_cost(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                  const std::vector<std::size_t>& staged, const std::vector<int>& extents,
                  std::int64_t out_bytes, bool copies) {
  const TileArray& out = arrays.back();
  TileOrder order = order_of(plan, out.strides, extents);
  order.pack = aligned_pack(plan, out, order, out_bytes);
  order.choose_lanes();
  const double busy = static_cast<double>(order.run) / (order.lanes * order.pack);
  const bool is_direct = has_direct(arrays, staged, extents);
  double cost =
      run_cost(out, order, written_run(plan, out, order, is_direct)) +
      (kShapeCosts.pack + kShapeCosts.element / order.pack) * division_cost(order) / busy +
      (copies ? kShapeCosts.copied_tile : kShapeCosts.tile) / order.count;
  const bool is_exposed = !is_direct && (staged.size() > 1 || order.run == order.count);
  for (const std::size_t k : staged) {
    const TileArray& array = arrays[k];
    cost += run_cost(array, order_of(plan, array.strides, extents), kShapeCosts.read_run);
    if (!copies) {
      cost += own_division_cost(plan, array, extents, is_exposed);
      continue;
    }
    const TileOrder own =
        copied_order(plan, array, extents, std::max(kSmallestWord, static_cast<int>(array.item)));
    cost += kShapeCosts.word * division_cost(own) * own.lanes / own.run;
  }
  return cost;
}

/// True if a tile is one dense run of the outputs and of each staged input.
bool is_one_run(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                const std::vector<std::size_t>& staged, const std::vector<int>& extents) {
  const auto is_run = [&](const TileArray& array) {
    const TileOrder order = order_of(plan, array.strides, extents);
    return order.run == order.count && !order.axes.empty() &&
           array.strides[order.axes.front()] == array.item;
  };
  return is_run(arrays.back()) &&
         std::ranges::all_of(staged, [&](std::size_t k) { return is_run(arrays[k]); });
}

}  // namespace

std::vector<int> tile_extents(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                              const std::vector<std::size_t>& staged, const TileBounds& bounds) {
  std::vector<int> best;
  double least = std::numeric_limits<double>::infinity();
  const auto extended = [&](std::int64_t written, std::int64_t read, std::int64_t most, int even) {
    std::vector<int> extents(static_cast<std::size_t>(plan.rank()), 1);
    lengthen(extents, plan, arrays.back().strides, written, most);
    for (const std::size_t k : staged) lengthen(extents, plan, arrays[k].strides, read, most, even);
    return extents;
  };
  const auto consider = [&](std::vector<int> extents) {
    const double cost = shape_cost(plan, arrays, staged, extents, bounds.out_bytes, bounds.copies);
    if (cost < least) least = cost, best = std::move(extents);
  };
  for (std::int64_t written = 16; written <= bounds.most; written *= 2)
    for (std::int64_t read = 16; read <= bounds.most; read *= 2) {
      consider(extended(written, read, bounds.most, kEvenPart));
      // Runs that begin within a word and fill a power of two of them.
      const std::int64_t item = arrays[staged.front()].item;
      if (bounds.copies && item < kSmallestWord)
        consider(extended(written, read + 1 - kSmallestWord / item, bounds.most, 1));
    }
  if (is_one_run(plan, arrays, staged, best)) return best;
  std::vector<int> whole =
      extended(bounds.most_of_one_run, bounds.most_of_one_run, bounds.most_of_one_run, kEvenPart);
  if (is_one_run(plan, arrays, staged, whole)) consider(std::move(whole));
  return best;
}

}  // namespace kernelbatch
