// mse as a reduction of two inputs.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work reduction(const Mse& in, Run& run) {
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const ReductionKernel kernel{{.in = "T y_pred, T y_true",
                                .out = "T mse",
                                .map = "(y_pred - y_true) * (y_pred - y_true)",
                                .reduce = "a + b",
                                .post_map = "mse = a / _in_ind.size()",
                                .identity = "0",
                                .name = "mse_reduction"}};

  return [=](Stream& stream) { kernel(stream, y_pred, y_true, out); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction, "one reduction of two inputs",
                                reduction};

}  // namespace kernelbatch::workloads::mse
