#include "core/kernel/elementwise/tile_conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernelbatch {

std::vector<std::string> rests_of(const TiledLoop& tiled) {
  std::vector<std::string> rests;
  for (const TiledLoop::Cut& cut : tiled.cut_axes) {
    const int width = tiled.shape.extents[static_cast<std::size_t>(cut.axis)];
    const std::string squares =
        cut.square < 0 ? "" : fmt::format("_at[{}] * {} + ", cut.square, tiled.square);
    rests.push_back(fmt::format("const _index _rest_{0} = _steps.extent_{0} - ({1}_at[{2}]) * {3};",
                                cut.axis, squares, cut.tile, width));
  }
  return rests;
}

std::string is_whole(const TiledLoop& tiled) {
  std::vector<std::string> conditions = {"true"};
  for (const TiledLoop::Cut& cut : tiled.cut_axes)
    conditions.push_back(fmt::format("_rest_{} >= {}", cut.axis,
                                     tiled.shape.extents[static_cast<std::size_t>(cut.axis)]));
  return fmt::format("{}", fmt::join(conditions, " && "));
}

std::string are_inside(const TiledLoop& tiled) {
  std::string text;
  for (std::size_t k = 0; k < tiled.shape.staged.size(); ++k)
    if (const auto& tile = tiled.shape.staged[k]; tile && tile->order.pack > 1)
      text +=
          fmt::format(" && _offset[{0}] >= _steps.first_{0} && _offset[{0}] <= _steps.last_{0}", k);
  return text;
}

std::string has_elements(const TiledLoop& tiled) {
  std::vector<std::string> conditions;
  for (const TiledLoop::Cut& cut : tiled.cut_axes)
    if (cut.square >= 0) conditions.push_back(fmt::format("_rest_{} > 0", cut.axis));
  return conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
}

}  // namespace kernelbatch
