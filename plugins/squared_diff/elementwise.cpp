// squared_diff in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/squared_diff/squared_diff.hpp"

namespace squared_diff {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquaredDiff&>(problem);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const kernelbatch::ElementwiseKernel kernel{"T x, T y", "T z",
                                              "T difference = x - y; z = difference * difference",
                                              "squared_diff_elementwise"};

  run.measure([&] { kernel(run.stream(), x, y, z); });
}

}  // namespace squared_diff
