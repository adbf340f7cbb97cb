// sin_exp in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

static Work elementwise(const SinExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y = sin(x) * exp(-x * x)",
                                  .name = "sin_exp_elementwise"}};

  return [=](Stream& stream) { kernel(stream, x, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::sin_exp
