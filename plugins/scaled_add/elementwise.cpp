// scaled_add in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work elementwise(const ScaledAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const ElementwiseKernel kernel{{.in = "T a, T b, T scale",
                                  .out = "T out",
                                  .operation = "out = (a + b) * scale",
                                  .name = "scaled_add_elementwise"}};

  return [=, &in](Stream& stream) { kernel(stream, a, b, in.scale, out); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::scaled_add
