// square_exp as two array operations, each with its own pass over memory.
#include "core/kernel/elementwise.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace square_exp {

void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquareExp&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const auto square = run.scratch(in.x.dtype(), in.x.shape());
  const kernelbatch::ElementwiseKernel squares{"T x", "T square", "square = x * x",
                                               "square_exp_square"};
  const kernelbatch::ElementwiseKernel exponentials{"T square", "T y", "y = exp(square)",
                                                    "square_exp_exp"};

  run.measure([&] {
    squares(run.stream(), x, square);
    exponentials(run.stream(), square, y);
  });
}

}  // namespace square_exp
