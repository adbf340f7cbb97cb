// Loops over several arrays: broadcasting, and merging of axes.
#pragma once

#include <span>
#include <vector>

#include "core/array/array.hpp"
#include "core/base/error.hpp"

namespace kernelbatch {

/// A loop nest in C order (last axis fastest) over `extents`, with each array's byte stride along
/// every axis. At least one axis.
struct LoopPlan {
  Shape shape;  ///< the broadcast shape, before axes were merged
  Extents extents;
  std::vector<Strides> strides;  ///< [array]
  std::int64_t count = 1;

  int rank() const noexcept { return extents.count(); }
  /// True if there is one axis, along which every array is dense or constant.
  bool is_dense(std::span<const Array> arrays) const;
  /// True if counts or byte offsets need 64 bits.
  bool is_wide() const;
};

/// Byte strides of an array broadcast to a shape.
Strides broadcast_strides(const Array& array, const Shape& shape);

/// Plans the loop over `shape`. With `merge`, axes of length 1 are removed and neighbouring axes
/// that are contiguous in every array are joined. The order of elements is C order, or with
/// `reorder` that of the arrays' memory, with priority to the last array.
LoopPlan plan_loop(std::span<const Array> arrays, const Shape& shape, bool merge,
                   bool reorder = false);

/// Sorts axes by decreasing strides of the last array, or of the one before it if equal, and so on:
/// the axis along which most elements are neighbours becomes the last.
void sort_axes(Extents& extents, std::vector<Strides>& strides);

/// Merges axes of extents and strides in place, as plan_loop does.
void merge_axes(Extents& extents, std::vector<Strides>& strides);

/// Bytes that an array touches, relative to its first element.
struct ByteRange {
  std::int64_t low = 0, high = 0;
};
ByteRange byte_range(const Array& array) noexcept;

/// True if writing `out` could change elements of `in` that are still to be read: the two share
/// memory without being the same view.
bool shares_elements(const Array& in, const Array& out) noexcept;

/// The error for that.
SpecError overlap_error(const std::string& in_name, const std::string& out_name);

/// Throws SpecError for an output that repeats elements (a broadcast view): each would be written
/// more than once.
void require_own_elements(const Array& out, const std::string& out_name);

}  // namespace kernelbatch
