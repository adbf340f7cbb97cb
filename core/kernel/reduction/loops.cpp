#include "core/kernel/reduction/loops.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

bool contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void finish_loop(LoopPlan& plan, std::size_t arrays) {
  if (plan.extents.empty()) {
    plan.extents.push_back(1);
    for (std::size_t k = 0; k < arrays; ++k) plan.strides[k].push_back(0);
  }
}

}  // namespace

std::vector<int> normalise_axes(const std::vector<int>& axes, bool all, int count,
                                const std::string& name) {
  std::vector<int> result;
  if (all) {
    for (int axis = 0; axis < count; ++axis) result.push_back(axis);
    return result;
  }
  for (const int axis : axes) {
    const int positive = axis < 0 ? axis + count : axis;
    if (positive < 0 || positive >= count)
      throw SpecError(fmt::format("'{}': axis {} is out of range for {} axes", name, axis, count));
    if (contains(result, positive))
      throw SpecError(fmt::format("'{}': axis {} is named twice", name, axis));
    result.push_back(positive);
  }
  std::sort(result.begin(), result.end());
  return result;
}

ReductionLoops plan_reduction(std::span<const Array> inputs, const Shape& shape,
                              const std::vector<int>& axes, bool keepdims) {
  ReductionLoops loops;
  loops.outer.strides.resize(inputs.size());
  loops.inner.strides.resize(inputs.size());
  for (int axis = 0; axis < shape.count(); ++axis) {
    const bool is_reduced = contains(axes, axis);
    LoopPlan& part = is_reduced ? loops.inner : loops.outer;
    part.extents.push_back(shape[axis]);
    part.count *= shape[axis];
    for (std::size_t k = 0; k < inputs.size(); ++k)
      part.strides[k].push_back(broadcast_strides(inputs[k], shape)[axis]);
    if (!is_reduced)
      loops.out_shape.push_back(shape[axis]);
    else if (keepdims)
      loops.out_shape.push_back(1);
  }
  loops.inner.shape = loops.inner.extents;
  loops.outer.shape = loops.outer.extents;
  merge_axes(loops.inner.extents, loops.inner.strides);
  finish_loop(loops.inner, inputs.size());
  return loops;
}

void add_output(ReductionLoops& loops, const Array& output, const Shape& shape,
                const std::vector<int>& axes, bool keepdims) {
  Strides strides;
  int at = 0;
  for (int axis = 0; axis < shape.count(); ++axis) {
    const bool is_reduced = contains(axes, axis);
    if (!is_reduced) strides.push_back(output.strides()[at]);
    if (!is_reduced || keepdims) ++at;
  }
  loops.outer.strides.push_back(strides);
}

void finish_outer(ReductionLoops& loops) {
  merge_axes(loops.outer.extents, loops.outer.strides);
  finish_loop(loops.outer, loops.outer.strides.size());
}

}  // namespace kernelbatch
