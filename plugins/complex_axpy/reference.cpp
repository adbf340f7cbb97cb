// complex_axpy on the CPU, element by element, in a wider type.
#include <complex>

#include "core/workload/host_input.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work reference(const ComplexAxpy& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among<std::complex<float>, std::complex<double>>(
      in.x1.dtype(), [&](auto zero) -> Work {
        using T = decltype(zero);
        using R = typename T::value_type;
        using W = Wider<R>;
        const auto x1 = in.x1.as<T>();
        const auto x2 = in.x2.as<T>();
        const auto y = out.as<T>();
        const W re = static_cast<R>(in.a_real), im = static_cast<R>(in.a_imag);

        return [=] {
#pragma omp parallel for schedule(static)
          for (std::int64_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const W u = x2[at].real(), v = x2[at].imag();
            y[at] = {static_cast<R>(W{x1[at].real()} + (re * u - im * v)),
                     static_cast<R>(W{x1[at].imag()} + (re * v + im * u))};
          }
        };
      });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::complex_axpy
