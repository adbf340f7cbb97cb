#include "core/kernel/elementwise/tile_banks.hpp"

#include <algorithm>
#include <array>

namespace kernelbatch {
namespace {

/// Cost of an access to shared memory in issue slots, of each pass of such an access over the
/// banks, of a division, and of an asynchronous copy. On an H100.
struct TileCosts {
  int access = 2, pass = 4, division = 6, copy = 10;
};
constexpr TileCosts kTileCosts;
constexpr int kBanks = 32, kWarp = 32;

/// Distance in shared memory of the element `at` in an order from the tile's first.
int place_of(const TileOrder& order, const std::vector<int>& extents, const std::vector<int>& steps,
             int at) {
  int place = 0;
  for (const int axis : order.axes) {
    const auto k = static_cast<std::size_t>(axis);
    place += at % extents[k] * steps[k];
    at /= extents[k];
  }
  return place;
}

/// Passes over the banks of the first warp's access of `width` elements for each pack.
int passes_of(const TileOrder& order, const std::vector<int>& extents,
              const std::vector<int>& steps, int item, int width) {
  const int bytes = width * item;
  const int lanes = std::min(kWarp, kBanks * 4 / std::max(bytes, 4));
  int passes = 0;
  for (int first = 0; first < kWarp; first += lanes) {
    std::array<std::vector<int>, kBanks> words;
    std::size_t most = 0;
    for (int lane = first; lane < first + lanes; ++lane) {
      const int in_run = lane % order.lanes * order.pack;
      if (lane >= order.packs() || in_run >= order.run) continue;
      const int from =
          place_of(order, extents, steps, lane / order.lanes * order.run + in_run) * item;
      for (int word = from / 4; word <= (from + bytes - 1) / 4; ++word) {
        std::vector<int>& bank = words[static_cast<std::size_t>(word % kBanks)];
        if (std::ranges::find(bank, word) == bank.end()) bank.push_back(word);
        most = std::max(most, bank.size());
      }
    }
    passes += static_cast<int>(most);
  }
  return passes;
}

/// Elements per access: several if a pack's elements are neighbours in shared memory as well.
int width_of(const TileOrder& order, const std::vector<int>& extents,
             const std::vector<int>& steps) {
  if (order.axes.empty() || steps[static_cast<std::size_t>(order.axes.front())] != 1) return 1;
  int width = order.pack;
  int elements = 1;
  for (int k = 0; k < static_cast<int>(order.axes.size()); ++k) {
    const auto axis = static_cast<std::size_t>(order.axes[static_cast<std::size_t>(k)]);
    if (k < order.run_axes && steps[axis] == elements)
      elements *= extents[axis];
    else
      while (steps[axis] % width != 0 || elements % width != 0) width /= 2;
  }
  return width;
}

/// Issue slots for 32 elements of one side.
double cost_of(const TileOrder& order, const std::vector<int>& extents,
               const std::vector<int>& steps, int item, int width) {
  const int accesses = order.pack / width;
  const int passes = passes_of(order, extents, steps, item, width);
  const bool crosses =
      width < order.pack && extents[static_cast<std::size_t>(order.axes.front())] % order.pack != 0;
  const int each =
      kTileCosts.access + kTileCosts.pass * passes + (crosses ? kTileCosts.division : 0);
  return static_cast<double>(kPackCost + accesses * each) / order.pack;
}

/// Steps of axes in the order of `axes`, with `pad` elements behind the axis number `level`.
StagedTile laid_out(const std::vector<int>& axes, const std::vector<int>& extents, std::size_t rank,
                    std::size_t level, int pad) {
  StagedTile tile;
  tile.steps.assign(rank, 0);
  tile.size = 1;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(axes[k]);
    tile.steps[axis] = tile.size;
    tile.size *= extents[axis];
    if (k == level) tile.size += pad;
  }
  return tile;
}

}  // namespace

Placed place_tile(const std::vector<int>& extents, const TileOrder& own, int most_pack,
                  const TileOrder& out, int item) {
  Placed best;
  std::vector<int> as_out;
  for (const int axis : out.axes)
    if (std::ranges::find(own.axes, axis) != own.axes.end()) as_out.push_back(axis);
  for (const std::vector<int>& axes : {as_out, own.axes})
    for (std::size_t level = 0; level + 1 < axes.size() || level == 0; ++level)
      for (const int pad : {0, 1, 2, 4, 8}) {
        StagedTile tile = laid_out(axes, extents, extents.size(), level, pad);
        if (tile.size > padded(own.count)) continue;
        tile.loaded = width_of(out, extents, tile.steps);
        const double loading = cost_of(out, extents, tile.steps, item, tile.loaded);
        tile.order = own;
        for (tile.order.pack = most_pack; tile.order.pack >= 1; tile.order.pack /= 2) {
          tile.order.choose_lanes();
          tile.stored = width_of(tile.order, extents, tile.steps);
          const double cost =
              loading + cost_of(tile.order, extents, tile.steps, item, tile.stored) + pad * 0.01;
          if (cost < best.cost) best = {tile, cost};
        }
      }
  return best;
}

Placed place_words(const std::vector<int>& extents, const TileOrder& own, const TileOrder& out,
                   int item) {
  const auto behind = own.axes.begin() + own.run_axes;
  const std::vector<int> in_order(behind, own.axes.end());
  std::vector<int> as_out;
  for (const int axis : out.axes)
    if (std::ranges::find(in_order, axis) != in_order.end()) as_out.push_back(axis);
  const int words = (own.run + own.shift + own.pack - 1) / own.pack;
  Placed best;
  for (const std::vector<int>& axes : {as_out, in_order})
    for (std::size_t level = 0; level < axes.size() || level == 0; ++level)
      for (const int pad : {0, 1, 2, 4}) {
        StagedTile tile{.order = own};
        tile.steps.assign(extents.size(), 0);
        int elements = 1;
        for (auto axis = own.axes.begin(); axis != behind; ++axis) {
          tile.steps[static_cast<std::size_t>(*axis)] = elements;
          elements *= extents[static_cast<std::size_t>(*axis)];
        }
        tile.size = (words + (level == 0 ? pad : 0)) * own.pack;
        for (std::size_t k = 0; k < axes.size(); ++k) {
          const auto axis = static_cast<std::size_t>(axes[k]);
          tile.steps[axis] = tile.size;
          tile.size = tile.size * extents[axis] + (k + 1 == level ? pad * own.pack : 0);
        }
        const double copying = kTileCosts.copy * static_cast<double>(own.lanes) / own.run;
        const double cost = copying + cost_of(out, extents, tile.steps, item, 1) +
                            0.001 * static_cast<double>(tile.size) / own.count;
        if (cost < best.cost) best = {std::move(tile), cost};
      }
  return best;
}

}  // namespace kernelbatch
