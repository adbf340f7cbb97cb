// abs2 on the CPU, element by element, in a wider type.
#include <complex>

#include "core/workload/host_input.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work reference(const Abs2& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among<std::complex<float>, std::complex<double>>(
      in.z.dtype(), [&](auto zero) -> Work {
        using T = decltype(zero);
        using R = typename T::value_type;
        using W = Wider<R>;
        const auto z = in.z.as<T>();
        const auto y = out.as<R>();

        return [=] {
#pragma omp parallel for schedule(static)
          for (std::int64_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const W re = z[at].real(), im = z[at].imag();
            y[at] = static_cast<R>(re * re + im * im);
          }
        };
      });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::abs2
