// How a reduction is mapped to a device: which threads work on which output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// A reduction as a loop over outputs around a loop over reduced elements, each with the byte
/// strides of its arrays.
struct ReductionLoops {
  LoopPlan outer;  ///< over outputs; its arrays are the inputs, then the outputs
  LoopPlan inner;  ///< over the elements of one output; its arrays are the inputs
  Shape out_shape;
};

/// `axes` are sorted and valid. `inputs` are already broadcast to one shape; `outputs` have the
/// reduced shape (with `keepdims`, ones stand at the reduced axes).
ReductionLoops plan_reduction(std::span<const Array> inputs, const Shape& shape,
                              const std::vector<int>& axes, bool keepdims);

/// Adds an output's strides to the outer loop, once its memory is known.
void add_output(ReductionLoops& loops, const Array& output, const Shape& shape,
                const std::vector<int>& axes, bool keepdims);

/// Merges the outer loop's axes, after all outputs were added.
void finish_outer(ReductionLoops& loops);

/// Sorted, non-negative axes. No axes given = all. Throws SpecError for one out of range or
/// repeated.
std::vector<int> normalise_axes(const std::vector<int>& axes, bool all, int count,
                                const std::string& name);

/// The access pattern: which elements a thread reads.
enum class ReductionWalk : std::uint8_t {
  kPlain,    ///< one thread has an output, or a tile of neighbouring ones
  kLanes,    ///< lanes of a warp along a row, workers with ranges of it
  kBrief,    ///< lanes along whole rows, several rows at once
  kColumns,  ///< neighbouring threads have neighbouring outputs; each goes down a column
};

/// Compile-time and launch-time numbers of a reduction's kernel (see source/reduction*.cu.in).
struct ReductionSchedule {
  ReductionWalk walk = ReductionWalk::kPlain;
  int lanes = 1, workers = 1, outputs = 1, across = 1, pack = 1, rows = 1, streams = 1,
      in_flight = 1, tile = 1;
  bool commutes = false;
  std::int64_t splits = 1, split_count = 1;
  std::int64_t groups = 1;  ///< of outputs that are worked on together
  std::int64_t blocks = 1;
  int threads() const noexcept { return lanes * workers * outputs; }
  bool outputs_fastest() const noexcept { return walk == ReductionWalk::kColumns; }
};

/// Which transformations a kernel's text permits.
struct ReductionFreedom {
  bool commutes = false;       ///< elements may be combined in any order
  bool joins_outputs = false;  ///< a thread may have several neighbouring outputs
};

/// `arrays` are the looped inputs, then the outputs, in the order of the outer loop's strides (an
/// imaginary array of the elements' numbers, where there is one, is null). Depends on the shape,
/// the layout and the device's properties alone: the same input on the same device is combined in
/// the same order every time.
ReductionSchedule schedule_reduction(const ReductionLoops& loops, std::span<const Array> inputs,
                                     std::span<const Array* const> arrays,
                                     const ReductionFreedom& freedom,
                                     const DeviceProperties& device);

}  // namespace kernelbatch
