// overlap in the elementwise style: an element for each row, then one for each element of the
// product.
#include "core/kernel/elementwise.hpp"

#include "plugins/overlap/overlap.hpp"

namespace overlap {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Overlap&>(problem);
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const kernelbatch::ElementwiseKernel sum{"raw T p, int64 cols", "T squares", R"(
    T sum = 0;
    for (long long k = i * cols; k < (i + 1) * cols; ++k) sum += p[k] * p[k];
    squares = sum)",
                                           "overlap_squares"};
  const kernelbatch::ElementwiseKernel multiply{"raw T a, raw T b, int64 m", "T product", R"(
    T sum = 0;
    for (long long k = 0; k < m; ++k) sum += a[i0 * m + k] * b[k * m + i1];
    product = sum)",
                                                "overlap_product"};

  run.measure([&] {
    sum(run.stream(), p, in.cols(), squares);
    multiply(run.stream(), a, b, in.m(), product);
  });
}

}  // namespace overlap
