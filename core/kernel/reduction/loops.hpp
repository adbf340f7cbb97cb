// ReductionLoops: a reduction as two nested loops over its arrays.
#pragma once

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
/// reduced shape (with `keepdims`, the reduced axes have length 1).
ReductionLoops plan_reduction(std::span<const Array> inputs, const Shape& shape,
                              const std::vector<int>& axes, bool keepdims);

/// Adds an output's strides to the outer loop, after its memory is known.
void add_output(ReductionLoops& loops, const Array& output, const Shape& shape,
                const std::vector<int>& axes, bool keepdims);

/// Merges the outer loop's axes, after all outputs were added.
void finish_outer(ReductionLoops& loops);

/// Sorted, non-negative axes. No axes given = all. Throws SpecError for one out of range or
/// repeated.
std::vector<int> normalise_axes(const std::vector<int>& axes, bool all, int count,
                                const std::string& name);

}  // namespace kernelbatch
