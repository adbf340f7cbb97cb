// mse as three array operations, each with its own pass over memory.
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work unfused(const Mse& in, Run& run) {
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const auto difference = run.scratch(in.y_true.dtype(), in.y_true.shape());
  const auto square = run.scratch(in.y_true.dtype(), in.y_true.shape());
  const ElementwiseKernel subtract{{.in = "T y_pred, T y_true",
                                    .out = "T difference",
                                    .operation = "difference = y_pred - y_true",
                                    .name = "mse_subtract"}};
  const ElementwiseKernel squares{{.in = "T difference",
                                   .out = "T square",
                                   .operation = "square = difference * difference",
                                   .name = "mse_square"}};
  const ReductionKernel mean{{.in = "T square",
                              .out = "T mse",
                              .map = "square",
                              .reduce = "a + b",
                              .post_map = "mse = a / _in_ind.size()",
                              .identity = "0",
                              .name = "mse_mean"}};

  return [=](Stream& stream) {
    subtract(stream, y_pred, y_true, difference);
    squares(stream, difference, square);
    mean(stream, square, out);
  };
}
static const Variant kUnfused{"unfused", VariantKind::kUnfused,
                              "three array operations: difference, square, mean", unfused};

}  // namespace kernelbatch::workloads::mse
