// squared_diff as a reduction: the product over its two equal factors.
#include "core/kernel/reduction.hpp"

#include "core/array/random.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace squared_diff {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquaredDiff&>(problem);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto factor = run.to_device(kernelbatch::arange(kernelbatch::DType::kInt32, {2, 1, 1}));
  const kernelbatch::ReductionKernel kernel{
      "T x, T y, int32 factor", "T z", "x - y", "a * b", "z = a", "1", "squared_diff_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), x, y, factor, z); });
}

}  // namespace squared_diff
