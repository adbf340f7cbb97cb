#include "core/kernel/elementwise/tile_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/kernel/elementwise/tile_banks.hpp"
#include "core/kernel/elementwise/tile_extents.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Bytes of a run: memory is read and written at full speed in longer ones only.
constexpr std::int64_t kRunBytes = 128;
constexpr std::int64_t kLargestBlock = 512;
/// Largest distance of neighbours: the memory in between is mostly loaded for nothing.
constexpr std::int64_t kMostStep = 64;

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

/// True if neighbouring threads read neighbours of an input of 8 bytes: the outputs' rows are a few
/// packs, and the next axis is the input's fastest. Shared memory gains nothing then.
bool is_read_across(const LoopPlan& plan, const TileArray& array,
                    const std::vector<int>& out_axes) {
  return array.item == 8 && out_axes.size() > 1 && plan.extents[out_axes[0]] % 2 == 0 &&
         plan.extents[out_axes[0]] * array.item <= kMostStep &&
         plan.extents[out_axes[1]] * array.item >= kRunBytes &&
         array.strides[out_axes[1]] == array.item;
}

/// An input that passes through registers.
Placed place_staged(const LoopPlan& plan, const TileArray& array, const TileShape& shape,
                    const TileLimits& limits) {
  const TileOrder own = order_of(plan, array.strides, shape.extents);
  int most_pack = aligned_pack(plan, array, own, limits.vector_bytes);
  while (most_pack > 1 && own.count / most_pack < limits.threads) most_pack /= 2;
  return place_tile(shape.extents, own, most_pack, shape.order, static_cast<int>(array.item));
}

/// Most elements of a pack of the outputs. Words are faster than wider packs, on an H200, if a tile
/// is one run whose packs of small elements cross its axes at other places in each row, and an
/// input is read in that order.
int widest_pack(const LoopPlan& plan, const std::vector<TileArray>& arrays, const TileShape& shape,
                std::int64_t vector_bytes) {
  const TileArray& out = arrays.back();
  const TileOrder& order = shape.order;
  const int pack = aligned_pack(plan, out, order, vector_bytes);
  const int word = static_cast<int>(kSmallestWord / out.item);
  if (pack <= word || order.run < order.count) return pack;
  const int row = shape.extents[static_cast<std::size_t>(order.axes.front())];
  const bool crosses = row % pack != 0 && pack % row != 0;
  const bool has_direct = std::ranges::any_of(arrays, [&](const TileArray& array) {
    return !array.is_output && array.strides[order.axes.front()] == array.item &&
           is_even(array.strides, shape.extents, order);
  });
  return crosses && has_direct && word > 1 ? word : pack;
}

/// Narrows packs of staged inputs to those of the outputs if these are half as wide as the widest.
void narrow_staged(const LoopPlan& plan, const std::vector<TileArray>& arrays, TileShape& shape,
                   TileLimits limits) {
  limits.vector_bytes /= 2;
  if (shape.order.pack * arrays.back().item != limits.vector_bytes) return;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (shape.staged[k]) shape.staged[k] = place_staged(plan, arrays[k], shape, limits).tile;
}

/// An input that is copied asynchronously, in words that begin at their multiples.
Placed place_copied(const LoopPlan& plan, const TileArray& array, const TileShape& shape) {
  Placed best;
  for (int word = kSmallestWord; word <= kLargestWord; word *= 2) {
    if (word < array.item) continue;
    const TileOrder own = copied_order(plan, array, shape.extents, word);
    Placed placed = place_words(shape.extents, own, shape.order, static_cast<int>(array.item));
    if (placed.cost >= best.cost) continue;
    best = std::move(placed);
    best.tile.word = word;
    if (own.shift == 0) continue;
    best.tile.phases.assign(shape.extents.size(), 0);
    for (auto axis = own.axes.begin() + own.run_axes; axis != own.axes.end(); ++axis) {
      const auto step = static_cast<int>(array.strides[*axis] / array.item % own.pack);
      best.tile.phases[static_cast<std::size_t>(*axis)] = (step + own.pack) % own.pack;
    }
  }
  return best;
}

}  // namespace

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
  if (std::ranges::all_of(staged,
                          [&](std::size_t k) { return is_read_across(plan, arrays[k], out_axes); }))
    return {};
  std::ranges::stable_sort(staged, [&](auto a, auto b) { return arrays[a].item > arrays[b].item; });
  return staged;
}

void TileShape::choose_rows() {
  order.choose_rows();
  for (std::optional<StagedTile>& tile : staged)
    if (tile) tile->order.choose_rows();
}

std::optional<TileShape> choose_tile(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                                     const TileLimits& limits) {
  const std::vector<std::size_t> staged = inputs_to_stage(plan, arrays);
  if (staged.empty()) return std::nullopt;
  std::int64_t item = 1, bytes = 0, most = limits.elements;
  for (const TileArray& array : arrays) item = std::max(item, array.item);
  for (const std::size_t k : staged) bytes += arrays[k].item;
  if (limits.copies) bytes *= kCopiedTiles;
  while (most * item > limits.tile_bytes || padded(most) * bytes > limits.shared) most /= 2;
  const TileArray& out = arrays.back();
  const std::int64_t out_bytes = limits.vector_bytes * out.item / item;
  const bool fits_twice =
      2 * most * item <= limits.tile_bytes && padded(2 * most) * bytes <= limits.shared;
  TileShape shape{.extents = tile_extents(plan, arrays, staged,
                                          {.most = most,
                                           .most_of_one_run = fits_twice ? 2 * most : most,
                                           .out_bytes = out_bytes,
                                           .copies = limits.copies}),
                  .staged = {}};
  shape.staged.resize(arrays.size());
  shape.order = order_of(plan, out.strides, shape.extents);
  const int largest = limits.copies ? aligned_pack(plan, out, shape.order, out_bytes)
                                    : widest_pack(plan, arrays, shape, out_bytes);
  std::optional<TileShape> chosen;
  double best = std::numeric_limits<double>::infinity();
  for (int pack = largest; pack >= 1; pack /= 2) {
    shape.order.pack = pack;
    shape.order.choose_lanes();
    if (pack > 1 && shape.order.packs() < limits.threads) continue;
    double cost = static_cast<double>(kPackCost) / pack;
    std::int64_t copied = 0;
    for (const std::size_t k : staged) {
      const Placed placed = limits.copies ? place_copied(plan, arrays[k], shape)
                                          : place_staged(plan, arrays[k], shape, limits);
      shape.staged[k] = placed.tile;
      cost += placed.cost;
      if (limits.copies) copied += kCopiedTiles * padded(placed.tile.size) * arrays[k].item;
    }
    if (copied > limits.shared) continue;
    if (cost < best) best = cost, chosen = shape;
  }
  if (chosen && !limits.copies) narrow_staged(plan, arrays, *chosen, limits);
  return chosen;
}

}  // namespace kernelbatch
