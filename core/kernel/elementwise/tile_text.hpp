// TileText: where the threads of a block find the elements of a tile, as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

/// The pass of checked elements.
constexpr const char* kCheckedPass = "(_group + _u)";

/// Lines that locate the elements of thread `_thread` in its pass `_u` over a tile, and the
/// conditions under which the first of them is inside the tile, and inside the arrays.
struct TilePlace {
  std::vector<std::string> locate = {};
  std::string in_tile = {}, inside = {};
};

/// The text of places in one order of a tile. `_l` is a pack's first element in its run, `_c2` an
/// index along axis 2, and `_r2` the same with the axes behind it.
class TileText {
 public:
  using Step = std::function<std::string(int)>;  ///< along an axis, as text; empty if it is 0

  /// Without checks for a tile that the arrays have all elements of.
  TileText(const TiledLoop& tiled, const TileOrder& order, bool checks = true)
      : tiled_(tiled), order_(order), checks_(checks) {}

  /// `pass` is the name of the pass in the text.
  TilePlace where(const char* pass = "_u") const;
  /// Sum of the steps at element `_l + _j` of a run, which are even along it if `is_even`.
  /// `strides` are those of an array in memory.
  std::string place(const Step& step, bool is_even, const Strides* strides = nullptr) const;
  /// Sum of the steps at the run itself.
  std::string run_place(const Step& step, const Strides* strides) const;
  /// `whole` for a pack, or `each` for one in which the arrays end.
  std::string pack_or_each(const LoopPlan& plan, const std::string& whole,
                           const std::string& each) const;
  /// A loop over a pack's elements within the arrays.
  std::string for_each(const LoopPlan& plan, const std::string& statement) const;
  /// True if the arrays may end within a pack.
  bool ends_in_pack(const LoopPlan& plan) const;
  /// True if a pack's elements are along one axis.
  bool divides_first() const;

 private:
  int extent(int axis) const { return tiled_.shape.extents[static_cast<std::size_t>(axis)]; }
  int last_of_run() const { return order_.axes[static_cast<std::size_t>(order_.run_axes - 1)]; }
  bool cuts_run() const;
  std::string limit() const;
  std::string add_run(std::string sum, const Step& step, const Strides* strides) const;
  std::string run_index(int k, int before) const;
  std::size_t first_joined(const Strides& strides) const;

  const TiledLoop& tiled_;
  const TileOrder& order_;
  bool checks_;
};

}  // namespace kernelbatch
