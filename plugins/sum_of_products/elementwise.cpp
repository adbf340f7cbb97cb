// sum_of_products in the elementwise style: sums are not elementwise, so each element of a matrix
// of partial sums adds up a strided part of a row.
#include <algorithm>

#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {

static Work elementwise(const SumOfProducts& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];
  const std::int64_t pieces =
      std::clamp<std::int64_t>((1 << 18) / rows, 1, std::max<std::int64_t>(cols / 64, 1));
  const auto parts = run.scratch(in.x.dtype(), {rows, pieces});
  // Neighbouring elements read neighbouring samples; eight sums hide the latency of an addition.
  const ElementwiseKernel products{{.in = "raw T x, raw T y, int64 cols, int64 pieces",
                                    .out = "T part",
                                    .operation = R"(
    T sums[8] = {};
    const long long end = (i / pieces + 1) * cols;
    long long k = i / pieces * cols + i % pieces;
    for (; k + 7 * pieces < end; k += 8 * pieces)
      for (int j = 0; j < 8; ++j) sums[j] += x[k + j * pieces] * y[k + j * pieces];
    for (int j = 0; k < end; k += pieces, ++j) sums[j] += x[k] * y[k];
    part = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])))",
                                    .name = "sum_of_products_parts"}};
  const ElementwiseKernel add_up{{.in = "raw T part, int64 pieces",
                                  .out = "T z",
                                  .operation = R"(
    T sums[8] = {};
    for (long long k = 0; k < pieces; ++k) sums[k % 8] += part[i * pieces + k];
    z = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])))",
                                  .name = "sum_of_products_add_up"}};

  return [=](Stream& stream) {
    products(stream, x, y, cols, pieces, parts);
    add_up(stream, parts, pieces, z);
  };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "each element of a matrix of partial sums adds up a strided part "
                                  "of a row; then those are added up",
                                  elementwise};

}  // namespace kernelbatch::workloads::sum_of_products
