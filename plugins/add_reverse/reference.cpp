// add_reverse on the CPU, element by element.
#include "core/workload/host_input.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

static Work reference(const AddReverse& in, Run& run) {
  const Array out = run.output("z");
  const std::int64_t n = out.size();

  return dispatch_among<int, float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const auto x = in.x.as<T>();
    const auto y = in.y.as<T>();
    const auto z = out.as<T>();

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        z[at] = x[at] + y[static_cast<std::size_t>(n - 1 - k)];
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::add_reverse
