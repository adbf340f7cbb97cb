// Widths of the loads of a reduction's arrays.
#pragma once

#include <span>

#include "core/kernel/reduction/loops.hpp"

namespace kernelbatch {

/// Neighbouring elements that one aligned load of every input covers along the last inner axis; 1
/// if an input has gaps there or is not aligned.
int pack_width(const ReductionLoops& loops, std::span<const Array> inputs,
               const DeviceProperties& device);

/// Neighbouring outputs whose elements one aligned load of every input covers; 1 if an array has
/// gaps there or is not aligned. `arrays` as in schedule_reduction.
int across_width(const ReductionLoops& loops, std::size_t inputs,
                 std::span<const Array* const> arrays, const DeviceProperties& device);

/// Aligned packs of every input's rows that follow each other without gaps (columns_row.hpp).
struct FoldedPacks {
  int width = 1;
  bool is_shifted = false;  ///< the first begins after some elements, in all inputs the same number
};
/// Packs of one element if inputs begin at different places within a pack. The first `group_axes`
/// axes of outputs are not of one row.
FoldedPacks folded_packs(const ReductionLoops& loops, std::span<const Array> inputs, int group_axes,
                         const DeviceProperties& device);

/// Neighbouring outputs of a loop over one axis that one aligned pack of every output covers, if
/// their elements in every input are neighbours, too, which may begin anywhere; otherwise 1.
/// `arrays` as in schedule_reduction.
int covered_width(const ReductionLoops& loops, std::size_t inputs,
                  std::span<const Array* const> arrays, const DeviceProperties& device);

/// Elements of an aligned pack of every input's rows of outputs, which have gaps nowhere. With
/// `has_runs`, the last reduced axis is in the rows, too.
int run_width(const ReductionLoops& loops, std::span<const Array> inputs, bool has_runs,
              const DeviceProperties& device);

/// Axis along which packs lie.
enum class PackAxis : std::uint8_t { kInner, kOuter };

/// Neighbouring elements, along the last axis of the inner or outer loop, of a load at the aligned
/// address before any element: every input has the same number of elements between that address
/// and the element. 1 if inputs differ in it or have gaps. Along the outer loop, only if the inner
/// one has one axis.
int shifted_width(const ReductionLoops& loops, std::span<const Array> inputs, PackAxis axis,
                  const DeviceProperties& device);

}  // namespace kernelbatch
