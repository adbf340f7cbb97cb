// TileText: where the threads of a block find the elements of a tile, as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

/// Lines that locate the elements of thread `_thread` in its pass `_pass` over a tile, and the
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

  /// `left` is the name of the thread's rows that are inside the arrays, if they are declared.
  TilePlace where(const std::string& left = {}) const;
  /// True if all passes of a thread are at the same elements of rows, which end with the arrays.
  bool goes_down_rows() const;
  /// The same with all of a pack's elements and all rows evenly spaced in an array.
  bool goes_down_rows(const Strides& strides) const;
  int rows_of_pass() const { return order_.rows_of_pass(); }
  int row_axis() const { return order_.axes[static_cast<std::size_t>(order_.run_axes)]; }
  /// Declares `name`: the number of rows from a thread's first one on that are inside the arrays.
  std::string declare_left(const std::string& name) const;
  /// Declares `name` as the value in a thread's first pass, which is computed only once.
  std::string declare_first(const std::string& type, const std::string& name,
                            const std::string& value) const;
  /// Sum of the steps at element `_l + _j` of a run of an array with `strides`. `joins`: by one
  /// index for axes behind the run that are evenly spaced.
  std::string place(const Step& step, const Strides& strides, bool joins) const;
  /// Sum of the steps at the run itself.
  std::string run_place(const Step& step, const Strides& strides, bool joins) const;
  /// Step to element `_j` of a pack whose elements are evenly spaced, to be added.
  std::string place_in_pack(const Step& step) const;
  bool is_even(const Strides& strides) const;
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
  std::size_t behind() const { return static_cast<std::size_t>(order_.run_axes); }
  bool cuts_run() const;
  std::vector<std::string> in_run() const;
  std::string in_cut_run() const;
  std::string limit() const;
  std::string run_index(int k, int before) const;
  std::size_t first_joined(const Strides& strides) const;

  const TiledLoop& tiled_;
  const TileOrder& order_;
  bool checks_;
};

}  // namespace kernelbatch
