// overlap on the CPU: both pieces, one after the other, in a wider type.
#include <vector>

#include "core/workload/host_input.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

static Work reference(const Overlap& in, Run& run) {
  const Array squares_out = run.output("squares");
  const Array product_out = run.output("product");
  const std::int64_t rows = in.rows(), cols = in.cols(), m = in.m();

  return dispatch_among<float, double>(in.p.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const T* const p = in.p.as<T>().data();
    const T* const a = in.a.as<T>().data();
    const T* const b = in.b.as<T>().data();
    T* const squares = squares_out.as<T>().data();
    T* const product = product_out.as<T>().data();
    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 0; row < rows; ++row) {
        W sum = 0;
        for (std::int64_t k = row * cols; k < (row + 1) * cols; ++k) sum += W{p[k]} * W{p[k]};
        squares[row] = static_cast<T>(sum);
      }
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 0; row < m; ++row) {
        std::vector<W> sums(static_cast<std::size_t>(m), W{0});
        for (std::int64_t k = 0; k < m; ++k)
          for (std::int64_t column = 0; column < m; ++column)
            sums[static_cast<std::size_t>(column)] += W{a[row * m + k]} * W{b[k * m + column]};
        for (std::int64_t column = 0; column < m; ++column)
          product[row * m + column] = static_cast<T>(sums[static_cast<std::size_t>(column)]);
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "one after the other in a wider type on all cores", reference};

}  // namespace kernelbatch::workloads::overlap
