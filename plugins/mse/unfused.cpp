// mse as three array operations, each with its own pass over memory.
#include "core/kernel/elementwise.hpp"
#include "core/kernel/reduction.hpp"
#include "plugins/mse/mse.hpp"

namespace mse {

void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const auto difference = run.scratch(in.y_true.dtype(), in.y_true.shape());
  const auto square = run.scratch(in.y_true.dtype(), in.y_true.shape());
  const kernelbatch::ElementwiseKernel subtract{"T y_pred, T y_true", "T difference",
                                                "difference = y_pred - y_true", "mse_subtract"};
  const kernelbatch::ElementwiseKernel squares{"T difference", "T square",
                                               "square = difference * difference", "mse_square"};
  const kernelbatch::ReductionKernel mean{
      "T square", "T mse", "square", "a + b", "mse = a / _in_ind.size()", "0", "mse_mean"};

  run.measure([&] {
    subtract(run.stream(), y_pred, y_true, difference);
    squares(run.stream(), difference, square);
    mean(run.stream(), square, out);
  });
}

}  // namespace mse
