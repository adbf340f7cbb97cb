// square_exp in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work elementwise(const SquareExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = exp(x * x)", .name = "square_exp_elementwise"}};

  return [=](Stream& stream) { kernel(stream, x, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::square_exp
