// l2norm on the CPU: Neumaier's compensated sums in a wider type.
#include <cmath>

#include "core/workload/host_input.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

static Work reference(const L2Norm& in, Run& run) {
  const Array out = run.output("norm");
  const std::int64_t norms = in.outer * in.inner;

  return dispatch_among<float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const T* const x = in.x.as<T>().data();
    const auto norm = out.as<T>();
    return [=, &in] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < norms; ++k) {
        const T* const first = x + k / in.inner * in.length * in.inner + k % in.inner;
        CompensatedSum<W> sum;
        for (std::int64_t j = 0; j < in.length; ++j) {
          const W value = first[j * in.inner];
          sum.add(value * value);
        }
        norm[static_cast<std::size_t>(k)] = static_cast<T>(std::sqrt(sum.value()));
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "compensated sum in a wider type on all cores", reference};

}  // namespace kernelbatch::workloads::l2norm
