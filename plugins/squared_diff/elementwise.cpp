// squared_diff in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work elementwise(const SquaredDiff& in, Run& run) {
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const ElementwiseKernel kernel{{.in = "T x, T y",
                                  .out = "T z",
                                  .operation = "T difference = x - y; z = difference * difference",
                                  .name = "squared_diff_elementwise"}};

  return [=](Stream& stream) { kernel(stream, x, y, z); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::squared_diff
