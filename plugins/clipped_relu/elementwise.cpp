// clipped_relu in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work elementwise(const ClippedRelu& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "T x, T cap",
                                  .out = "T y",
                                  .operation = "y = x < T(0) ? T(0) : x > cap ? cap : x",
                                  .name = "clipped_relu_elementwise"}};

  return [=, &in](Stream& stream) { kernel(stream, x, in.cap, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::clipped_relu
