// copy on the CPU, element by element.
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

static Work reference(const Copy& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among(Types{}, in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        y[at] = x[at];
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::copy
