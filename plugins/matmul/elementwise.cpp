// matmul in the elementwise style: each element is a dot product.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {

static Work elementwise(const Matmul& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const ElementwiseKernel kernel{{.in = "raw T a, raw T b",
                                  .out = "T c",
                                  .operation = R"(
    const long long depth = a.shape()[1];
    const long long columns = b.shape()[1];
    const long long row = i0 * depth;
    decltype(a[0] * b[0]) sum = 0;  // float for floats of 16 bits
    for (long long k = 0; k < depth; ++k) sum += a[row + k] * b[k * columns + i1];
    c = sum)",
                                  .name = "matmul_elementwise"}};

  return [=](Stream& stream) { kernel(stream, a, b, c); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "each element a scalar product, both matrices raw arrays",
                                  elementwise};

}  // namespace kernelbatch::workloads::matmul
