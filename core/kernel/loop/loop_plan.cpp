#include "core/kernel/loop/loop_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/base/error.hpp"

namespace kernelbatch {

bool LoopPlan::is_dense(std::span<const Array> arrays) const {
  if (rank() != 1) return false;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(arrays[k].dtype()));
    if (strides[k][0] != item && strides[k][0] != 0) return false;
  }
  return true;
}

bool LoopPlan::is_wide() const {
  // Half of the range, so that adding a grid's stride to the last index does not overflow.
  constexpr std::int64_t kNarrow = std::int64_t{1} << 30;
  if (count >= kNarrow) return true;
  for (const Strides& each : strides) {
    std::int64_t reach = 0;
    for (int axis = 0; axis < rank(); ++axis)
      reach += std::abs(each[axis]) * std::max<std::int64_t>(extents[axis] - 1, 0);
    if (reach >= kNarrow) return true;
  }
  return false;
}

Strides broadcast_strides(const Array& array, const Shape& shape) {
  return array.broadcast_to(shape).strides();
}

void merge_axes(Extents& extents, std::vector<Strides>& strides) {
  Extents merged;
  std::vector<Strides> merged_strides(strides.size());
  for (int axis = 0; axis < extents.count(); ++axis) {
    if (extents[axis] == 1) continue;
    const int last = merged.count() - 1;
    const bool joins =
        last >= 0 && std::all_of(strides.begin(), strides.end(), [&](const Strides& each) {
          const std::size_t k = static_cast<std::size_t>(&each - strides.data());
          return merged_strides[k][last] == each[axis] * extents[axis];
        });
    if (joins) {
      merged[last] *= extents[axis];
      for (std::size_t k = 0; k < strides.size(); ++k) merged_strides[k][last] = strides[k][axis];
    } else {
      merged.push_back(extents[axis]);
      for (std::size_t k = 0; k < strides.size(); ++k)
        merged_strides[k].push_back(strides[k][axis]);
    }
  }
  extents = merged;
  strides = std::move(merged_strides);
}

void sort_axes(Extents& extents, std::vector<Strides>& strides) {
  const auto belongs_before = [&](int a, int b) {
    for (auto each = strides.rbegin(); each != strides.rend(); ++each) {
      const std::int64_t at_a = std::abs((*each)[a]), at_b = std::abs((*each)[b]);
      // An axis with stride 0 in an array may be anywhere in the order.
      if (at_a != 0 && at_b != 0 && at_a != at_b) return at_a > at_b;
    }
    return false;
  };
  // Insertion sort: "belongs before" need not be transitive, which std::sort requires.
  for (int axis = 1; axis < extents.count(); ++axis)
    for (int at = axis; at > 0 && belongs_before(at, at - 1); --at) {
      std::swap(extents[at], extents[at - 1]);
      for (Strides& each : strides) std::swap(each[at], each[at - 1]);
    }
}

LoopPlan plan_loop(std::span<const Array> arrays, const Shape& shape, bool merge, bool reorder) {
  LoopPlan plan;
  plan.shape = shape;
  plan.extents = shape;
  plan.count = element_count(shape);
  for (const Array& array : arrays) plan.strides.push_back(broadcast_strides(array, shape));
  if (reorder) {
    merge_axes(plan.extents, plan.strides);  // axes of length one have strides of no meaning
    sort_axes(plan.extents, plan.strides);
  }
  if (merge) merge_axes(plan.extents, plan.strides);
  if (plan.extents.empty()) {
    plan.extents.push_back(1);
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      // A single element counts as dense, so that it uses the simplest loop.
      plan.strides[k].push_back(static_cast<std::int64_t>(size_of(arrays[k].dtype())));
    }
  }
  return plan;
}

ByteRange byte_range(const Array& array) noexcept {
  ByteRange range{0, static_cast<std::int64_t>(size_of(array.dtype()))};
  for (int axis = 0; axis < array.axes(); ++axis) {
    const std::int64_t span = (array.shape()[axis] - 1) * array.strides()[axis];
    (span < 0 ? range.low : range.high) += span;
  }
  return range;
}

bool shares_elements(const Array& in, const Array& out) noexcept {
  if (in.size() == 0 || out.size() == 0 || in.device() != out.device()) return false;
  if (in.data() == out.data() && in.shape() == out.shape() && in.strides() == out.strides() &&
      in.dtype() == out.dtype())
    return false;
  const ByteRange read = byte_range(in);
  const ByteRange written = byte_range(out);
  if (in.data() + read.high <= out.data() + written.low ||
      out.data() + written.high <= in.data() + read.low)
    return false;
  // Interleaved views (e.g. every second element) touch disjoint residues of their common step.
  std::int64_t step = 0;
  for (const Array* array : {&in, &out})
    for (int axis = 0; axis < array->axes(); ++axis)
      if (array->shape()[axis] > 1) step = std::gcd(step, std::abs(array->strides()[axis]));
  if (step == 0) return true;
  const std::int64_t shift = (((out.data() - in.data()) % step) + step) % step;
  return shift < static_cast<std::int64_t>(size_of(in.dtype())) ||
         step - shift < static_cast<std::int64_t>(size_of(out.dtype()));
}

SpecError overlap_error(const std::string& in_name, const std::string& out_name) {
  return SpecError(
      fmt::format("output '{}' overlaps input '{}' without being the same view: elements would be "
                  "read after they were written; write to an array of its own",
                  out_name, in_name));
}

void require_own_elements(const Array& out, const std::string& out_name) {
  for (int axis = 0; axis < out.axes(); ++axis)
    if (out.shape()[axis] > 1 && out.strides()[axis] == 0)
      throw SpecError(fmt::format(
          "output '{}' repeats elements along an axis: each would be written more than once",
          out_name));
}

}  // namespace kernelbatch
