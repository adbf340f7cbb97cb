// matmul on the CPU: each row of C as a sum of rows of B, in a wider type.
#include <cmath>
#include <vector>

#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

// float64 has at least twice the digits of the other dtypes. For float64 the rounding errors of a
// sum are kept separately, since long double cannot be vectorized.
template <class T>
void row_of_product(const T* a, const T* b, T* c, std::int64_t n, std::int64_t k) {
  std::vector<double> sum(static_cast<std::size_t>(n)), lost(static_cast<std::size_t>(n));
  for (std::int64_t depth = 0; depth < k; ++depth) {
    const double factor = as_double(a[depth]);
    const T* const row = b + depth * n;
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const double term = factor * as_double(row[j]);
      // Knuth's two-sum, without a comparison.
      const double next = sum[j] + term;
      const double shown = next - sum[j];
      lost[j] += (sum[j] - (next - shown)) + (term - shown);
      sum[j] = next;
    }
  }
  // The errors of an infinite sum are NaN.
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const double all = std::isfinite(sum[j]) ? sum[j] + lost[j] : sum[j];
    if constexpr (ReducedFloat<T>)
      c[j] = from_float<T>(static_cast<float>(all));
    else
      c[j] = static_cast<T>(all);
  }
}

}  // namespace

static Work reference(const Matmul& in, Run& run) {
  const Array out = run.output("c");
  const std::int64_t m = in.m(), n = in.n(), k = in.k();

  return dispatch_matmul(in.a.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const T* const a = in.a.as<T>().data();
    const T* const b = in.b.as<T>().data();
    T* const c = out.as<T>().data();
    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 0; row < m; ++row) row_of_product(a + row * k, b, c + row * n, n, k);
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "rows times matrix in a wider type on all cores", reference};

}  // namespace kernelbatch::workloads::matmul
