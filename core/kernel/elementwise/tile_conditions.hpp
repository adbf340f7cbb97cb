// Texts of the conditions under which the arrays have the elements of a tile.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

/// Elements of a tile that are inside the arrays, along each axis with several tiles.
std::vector<std::string> rests_of(const TiledLoop& tiled);
/// The condition under which the arrays have all elements of a tile.
std::string is_whole(const TiledLoop& tiled);
/// The same for the words that contain them.
std::string are_inside(const TiledLoop& tiled);
/// The condition under which a tile has elements: squares of tiles may reach past the ends.
std::string has_elements(const TiledLoop& tiled);

}  // namespace kernelbatch
