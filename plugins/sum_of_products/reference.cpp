// sum_of_products on the CPU: Neumaier's compensated sum of each row, in a wider type.
#include "core/workload/host_input.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {
namespace {

template <class T>
T scalar_product(const T* x, const T* y, std::int64_t count) {
  using W = Wider<T>;
  CompensatedSum<W> sum;
  for (std::int64_t k = 0; k < count; ++k) sum.add(W{x[k]} * W{y[k]});
  return static_cast<T>(sum.value());
}

}  // namespace

static Work reference(const SumOfProducts& in, Run& run) {
  const Array out = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];

  return dispatch_among<float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const T* const x = in.x.as<T>().data();
    const T* const y = in.y.as<T>().data();
    const auto z = out.as<T>();
    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 0; row < rows; ++row)
        z[static_cast<std::size_t>(row)] = scalar_product(x + row * cols, y + row * cols, cols);
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "in a wider type, compensated, on all cores", reference};

}  // namespace kernelbatch::workloads::sum_of_products
