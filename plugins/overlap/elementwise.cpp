// overlap in the elementwise style: an element for each row, then one for each element of the
// product.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

static Work elementwise(const Overlap& in, Run& run) {
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const ElementwiseKernel sum{{.in = "raw T p, int64 cols",
                               .out = "T squares",
                               .operation = R"(
    T sum = 0;
    for (long long k = i * cols; k < (i + 1) * cols; ++k) sum += p[k] * p[k];
    squares = sum)",
                               .name = "overlap_squares"}};
  const ElementwiseKernel multiply{{.in = "raw T a, raw T b, int64 m",
                                    .out = "T product",
                                    .operation = R"(
    T sum = 0;
    for (long long k = 0; k < m; ++k) sum += a[i0 * m + k] * b[k * m + i1];
    product = sum)",
                                    .name = "overlap_product"}};

  return [=, &in](Stream& stream) {
    sum(stream, p, in.cols(), squares);
    multiply(stream, a, b, in.m(), product);
  };
}
static const Variant kElementwise{
    "elementwise", VariantKind::kElementwise,
    "an element for each row, then one for each element of the product", elementwise};

}  // namespace kernelbatch::workloads::overlap
