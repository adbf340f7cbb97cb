// square_exp on the CPU, element by element, in a wider type.
#include <cmath>

#include "core/workload/host_input.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work reference(const SquareExp& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among<float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const W value = x[at];
        y[at] = static_cast<T>(std::exp(value * value));
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::square_exp
