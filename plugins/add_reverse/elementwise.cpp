// add_reverse in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

static Work elementwise(const AddReverse& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const ElementwiseKernel kernel{{.in = "T x, raw T y",
                                  .out = "T z",
                                  .operation = "z = x + y[n - 1 - i]",
                                  .name = "add_reverse_elementwise"}};

  return [=](Stream& stream) { kernel(stream, x, y, z); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "y a raw array, indexed from its end", elementwise};

}  // namespace kernelbatch::workloads::add_reverse
