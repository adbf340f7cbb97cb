// squared_diff as the three array operations that `(x - y) * (x - y)` is when nothing fuses them.
#include "core/kernel/elementwise.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace squared_diff {

void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquaredDiff&>(problem);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto left = run.scratch(z.dtype(), z.shape());
  const auto right = run.scratch(z.dtype(), z.shape());
  const kernelbatch::ElementwiseKernel subtract{"T x, T y", "T z", "z = x - y",
                                                "squared_diff_subtract"};
  const kernelbatch::ElementwiseKernel multiply{"T x, T y", "T z", "z = x * y",
                                                "squared_diff_multiply"};

  run.measure([&] {
    subtract(run.stream(), x, y, left);
    subtract(run.stream(), x, y, right);
    multiply(run.stream(), left, right, z);
  });
}

}  // namespace squared_diff
