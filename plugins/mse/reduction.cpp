// mse as what it is: a reduction of two inputs.
#include "core/kernel/reduction.hpp"

#include "plugins/mse/mse.hpp"

namespace mse {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const kernelbatch::ReductionKernel kernel{"T y_pred, T y_true",
                                            "T mse",
                                            "(y_pred - y_true) * (y_pred - y_true)",
                                            "a + b",
                                            "mse = a / _in_ind.size()",
                                            "0",
                                            "mse_reduction"};

  run.measure([&] { kernel(run.stream(), y_pred, y_true, out); });
}

}  // namespace mse
