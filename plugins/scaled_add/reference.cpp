// scaled_add on the CPU, element by element, in a wider type.
#include "core/workload/host_input.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work reference(const ScaledAdd& in, Run& run) {
  const Array out = run.output("out");
  const std::int64_t n = out.size();

  return dispatch_among<float, double>(in.a.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const auto a = in.a.as<T>();
    const auto b = in.b.as<T>();
    const auto out_values = out.as<T>();
    const auto scale = static_cast<W>(static_cast<T>(in.scale));

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        out_values[at] = static_cast<T>((W{a[at]} + W{b[at]}) * scale);
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::scaled_add
