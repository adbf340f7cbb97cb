// copy in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

static Work elementwise(const Copy& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elementwise"}};

  return [=](Stream& stream) { kernel(stream, x, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::copy
