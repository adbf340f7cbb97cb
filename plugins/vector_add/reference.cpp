// vector_add on the CPU, element by element.
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

static Work reference(const VectorAdd& in, Run& run) {
  const Array out = run.output("c");
  const std::int64_t n = out.size();

  return dispatch_among(Types{}, in.a.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const auto a = in.a.as<T>();
    const auto b = in.b.as<T>();
    const auto c = out.as<T>();

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        c[at] = a[at] + b[at];
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::vector_add
