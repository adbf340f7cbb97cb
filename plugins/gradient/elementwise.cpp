// gradient in the elementwise style: the grid is a raw array, whose neighbours are indexed.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

static Work elementwise(const Gradient& in, Run& run) {
  const auto u = run.to_device(in.u);
  const auto dx = run.output("dx");
  const auto dy = run.output("dy");
  const ElementwiseKernel kernel{{.in = "raw T u",
                                  .out = "T dx, T dy",
                                  .operation = R"(
    const long long rows = u.shape()[0];
    const long long cols = u.shape()[1];
    const long long k = i0 * cols + i1;
    dx = (u[i1 < cols - 1 ? k + 1 : k] - u[i1 > 0 ? k - 1 : k]) / 2;
    dy = (u[i0 < rows - 1 ? k + cols : k] - u[i0 > 0 ? k - cols : k]) / 2)",
                                  .name = "gradient_elementwise"}};

  return [=](Stream& stream) { kernel(stream, u, dx, dy); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation with two outputs, the grid a raw array",
                                  elementwise};

}  // namespace kernelbatch::workloads::gradient
