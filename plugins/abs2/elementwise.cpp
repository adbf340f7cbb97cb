// abs2 in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work elementwise(const Abs2& in, Run& run) {
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "Z z",
                                  .out = "T y",
                                  .operation = "y = z.real() * z.real() + z.imag() * z.imag()",
                                  .name = "abs2_elementwise"}};

  return [=](Stream& stream) { kernel(stream, z, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::abs2
