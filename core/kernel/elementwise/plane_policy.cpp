#include <algorithm>
#include <bit>
#include <limits>

#include "core/kernel/elementwise/plane_pieces.hpp"
#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kSector = 32;  ///< bytes of memory that are written at once
/// Planes with fewer rows or columns, or whose rows are shorter runs of the inputs, are left to
/// tiles along axes. Tuned on an H200.
constexpr std::int64_t kLeastCount = 128, kLeastRun = 64;
/// Number of inputs, and bytes of an element of all.
constexpr std::int64_t kMostInputs = 2, kMostInputBytes = 8;
/// The share of an axis that tiles may have outside: 1 / 12, or 1 / 7 of narrow elements, whose
/// tiles along axes take more time.
constexpr std::int64_t kOutside = 12, kNarrowOutside = 7;
/// Tiles of a group, and the share of the cache that the tiles of a whole row may take.
constexpr std::int64_t kGroup = 16, kCacheShare = 4;

/// The loop over the axes from `first` up to `end`.
LoopPlan part_of(const LoopPlan& plan, int first, int end) {
  LoopPlan part;
  part.strides.resize(plan.strides.size());
  for (int axis = first; axis < end; ++axis) {
    part.extents.push_back(plan.extents[axis]);
    part.count *= plan.extents[axis];
    for (std::size_t k = 0; k < plan.strides.size(); ++k)
      part.strides[k].push_back(plan.strides[k][axis]);
  }
  part.shape = part.extents;
  return part;
}

/// True if an array is one run along all axes of `plan`.
bool is_run(const LoopPlan& plan, std::int64_t item, std::size_t slot) {
  return plan.strides[slot][plan.rank() - 1] == item && has_even_steps(plan, slot);
}

/// True if an array's runs along the axes from `first` up to `end` begin at multiples of `bytes`.
bool runs_start_at(const LoopPlan& plan, const TileArray& array, int first, int end,
                   std::int64_t bytes) {
  if (array.alignment % bytes != 0) return false;
  for (int axis = 0; axis < plan.rank(); ++axis)
    if ((axis < first || axis >= end) && array.strides[axis] % bytes != 0) return false;
  return true;
}

/// The most tiles below each other that blocks process one after the other. Several if staged
/// inputs' sectors are in two of them, and the tiles of a whole row would take their place in the
/// cache before the second one is read.
std::int64_t group_of(const PlaneLoop& plane, const LoopPlan& plan,
                      const std::vector<TileArray>& arrays, const DeviceProperties& device) {
  std::int64_t bytes = 0;
  bool shares = false;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    bytes += arrays[k].item;
    shares = shares || (plane.staged[k] && !runs_start_at(plan, arrays[k], plane.down.rank() - 1,
                                                          plane.down.rank(), kSector));
  }
  const auto cache = static_cast<std::int64_t>(device.shared_cache) / kCacheShare;
  return shares && plane.across.count * plane.rows * bytes > cache ? kGroup : 1;
}

/// The loop over tiles whose first rows and columns are its two arrays' offsets.
LoopPlan tiles_of(const PlaneLoop& plane, std::int64_t most) {
  const std::int64_t down = ceil_divide(plane.down.count, plane.rows);
  const std::int64_t groups = ceil_divide(down, most), group = ceil_divide(down, groups);
  LoopPlan tiles;
  tiles.extents = {groups, ceil_divide(plane.across.count + plane.margin(), plane.columns), group};
  tiles.count = tiles.extents[0] * tiles.extents[1] * tiles.extents[2];
  tiles.strides = {{plane.rows * group, 0, plane.rows}, {0, plane.columns, 0}};
  tiles.shape = tiles.extents;
  return tiles;
}

/// The elements of a word if all of an array's runs along the axes from `first` up to `end`, of
/// `count` elements each, consist of words; else 1.
int word_of(const LoopPlan& plan, const TileArray& array, int first, int end, std::int64_t count) {
  const std::int64_t word = std::max<std::int64_t>(1, kSmallestWord / array.item);
  return count % word == 0 && runs_start_at(plan, array, first, end, word * array.item)
             ? static_cast<int>(word)
             : 1;
}

/// The rows and columns of `plan`, and the inputs that are staged. Nothing if there are none, or if
/// a staged input has no neighbours along the rows.
std::optional<PlaneLoop> plane_over(const LoopPlan& plan, const std::vector<TileArray>& arrays) {
  const std::vector<std::size_t> staged = inputs_to_stage(plan, arrays);
  if (staged.empty()) return std::nullopt;
  const int last = axes_by_step(plan, arrays[staged.front()].strides).front();
  const int first = last + 1;
  if (first == plan.rank()) return std::nullopt;
  PlaneLoop plane{.down = part_of(plan, 0, first), .across = part_of(plan, first, plan.rank())};
  plane.staged.resize(arrays.size());
  plane.packs.assign(arrays.size(), 1);
  for (const std::size_t k : staged) {
    if (arrays[k].strides[last] != arrays[k].item) return std::nullopt;
    plane.staged[k] = true;
    plane.packs[k] = word_of(plan, arrays[k], last, first, plan.extents[last]);
  }
  return plane;
}

/// True if threads reach an array's own rows and columns by one step: its rows are evenly spaced,
/// and it is a run along the columns if it is an output, or narrow and not constant.
bool has_plain_rows(const PlaneLoop& plane, const TileArray& array, std::size_t slot) {
  const std::int64_t step = plane.across.strides[slot][plane.across.rank() - 1];
  const bool is_free = !array.is_output && (step == 0 || array.item >= kSmallestWord);
  return has_even_steps(plane.down, slot) && (is_free || is_run(plane.across, array.item, slot));
}

/// True if tiles with `part` elements along an axis have at most 1 / `share` of its `count`
/// outside.
bool fills(std::int64_t count, int part, std::int64_t share) {
  return share * (ceil_divide(count, part) * part - count) <= count;
}

/// True if all staged inputs are read in words.
bool has_words(const PlaneLoop& plane, const std::vector<TileArray>& arrays) {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (plane.staged[k] && plane.packs[k] * arrays[k].item < kSmallestWord) return false;
  return true;
}

/// True if tiles of a plane take less time than those along axes.
bool pays(const PlaneLoop& plane, const LoopPlan& plan, const std::vector<TileArray>& arrays) {
  const std::int64_t item = arrays.back().item;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (arrays[k].item != item || (!plane.staged[k] && !has_plain_rows(plane, arrays[k], k)))
      return false;
  const auto inputs = std::ranges::count(arrays, false, &TileArray::is_output);
  if (item == 1 || inputs > kMostInputs || inputs * item > kMostInputBytes) return false;
  const bool is_narrow = item < kSmallestWord;
  const bool is_joined = plane.across.rank() > 1;
  // Tiles along axes suffice for one axis of aligned rows.
  if (plane.unit == 1 && !is_joined) return false;
  if (is_narrow && plane.staged_inputs() > 1 && !has_words(plane, arrays)) return false;
  const std::int64_t outside = is_narrow ? kNarrowOutside : kOutside;
  return std::min(plane.down.count, plane.across.count) >= kLeastCount &&
         plan.extents[plane.down.rank() - 1] >= kLeastRun &&
         fills(plane.across.count, plane.columns, outside) &&
         fills(plane.down.count, plane.rows, inputs > 1 || is_joined ? outside : kOutside);
}

/// True if all rows of a thread begin equally far from multiples of `bytes` of the last output.
bool keeps_lead(const PlaneLoop& plane, const LoopPlan& plan, const TileArray& out,
                std::int64_t bytes) {
  const std::size_t slot = plan.strides.size() - 1;
  const std::int64_t step = plane.down.strides[slot][plane.down.rank() - 1];
  return runs_start_at(plan, out, plane.down.rank(), plan.rank(), bytes) ||
         plane.rows_of_pass() * step % bytes == 0;
}

/// True if an array is one run along the columns, and its rows begin as far from packs as the last
/// output's.
bool has_own_packs(const PlaneLoop& plane, const std::vector<TileArray>& arrays, std::size_t slot) {
  const TileArray &array = arrays[slot], &out = arrays.back();
  if (!is_run(plane.across, array.item, slot) || array.alignment % (plane.pack * array.item) != 0 ||
      out.alignment % (plane.pack * out.item) != 0)
    return false;
  for (int axis = 0; axis < plane.down.rank(); ++axis)
    if ((array.strides[axis] / array.item - out.strides[axis] / out.item) % plane.pack != 0)
      return false;
  return true;
}

/// Chooses what a thread stores at once, and where rows begin.
void choose_packs(PlaneLoop& plane, const LoopPlan& plan, const std::vector<TileArray>& arrays) {
  const TileArray& out = arrays.back();
  const auto has_packs = [&](std::size_t k) {
    return plane.staged[k] || has_own_packs(plane, arrays, k);
  };
  const auto store_packs = [&] {
    for (std::size_t k = 0; k + 1 < arrays.size(); ++k)
      if (arrays[k].is_output && !has_packs(k)) return false;
    return keeps_lead(plane, plan, out, plane.pack * out.item);
  };
  plane.pack = std::min(plane.rows * plane.columns / PlaneLoop::kThreads,
                        std::max(1, static_cast<int>(kSmallestWord / out.item)));
  while (plane.pack > 1 && !store_packs()) plane.pack /= 2;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!plane.staged[k] && (k + 1 == arrays.size() || has_own_packs(plane, arrays, k)))
      plane.packs[k] = plane.pack;
  plane.unit = std::max(plane.pack, static_cast<int>(kSector / out.item));
  while (plane.unit > plane.pack && !keeps_lead(plane, plan, out, plane.unit * out.item))
    plane.unit /= 2;
  if (runs_start_at(plan, out, plane.down.rank(), plan.rank(), plane.unit * out.item))
    plane.unit = 1;
}

}  // namespace

void PlaneLoop::choose_extents(const std::vector<TileArray>& arrays) {
  const bool is_narrow = arrays.back().item < kSmallestWord;
  // A thread reads inputs that are constant along the rows only once.
  int inputs = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!arrays[k].is_output &&
        std::ranges::any_of(down.strides[k], [](auto step) { return step != 0; }))
      ++inputs;
  const bool is_one = inputs <= 1;
  // Columns of joined axes are located one by one.
  const bool is_tall = is_one || (is_narrow && (across.rank() > 1 || staged_inputs() > 1));
  rows = is_tall ? 64 : 32;
  columns = is_narrow ? 64 : 32;
  if (is_one)
    blocks = is_narrow ? 6 : 5;
  else
    blocks = is_narrow && is_tall ? 4 : 6;
}

std::optional<PlaneLoop> PlaneLoop::choose(const ElementwiseLoop& loop,
                                           const ElementwiseDefinition& definition,
                                           const DeviceProperties& device) {
  const LoopPlan& plan = loop.plan;
  if (definition.sees_order || definition.options.block_size || plan.rank() < 2 ||
      plan.count == 0 || device.loop_block < kThreads)
    return std::nullopt;
  const std::vector<TileArray> arrays = tile_arrays(loop);
  if (arrays.empty() || !arrays.back().is_output) return std::nullopt;
  for (const TileArray& array : arrays)
    if (!runs_start_at(plan, array, 0, 0, array.item)) return std::nullopt;
  std::optional<PlaneLoop> plane = plane_over(plan, arrays);
  if (!plane) return std::nullopt;
  plane->choose_extents(arrays);
  choose_packs(*plane, plan, arrays);
  if (!pays(*plane, plan, arrays)) return std::nullopt;
  plane->tiles = tiles_of(*plane, group_of(*plane, plan, arrays, device));
  if (plane->tiles.count > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return plane;
}

}  // namespace kernelbatch
