// clipped_relu on the CPU, element by element.
#include "core/workload/host_input.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work reference(const ClippedRelu& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among<int, float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();
    const T cap = static_cast<T>(in.cap);

    return [=] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        y[at] = x[at] < 0 ? T{0} : x[at] > cap ? cap : x[at];
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each element on all cores",
                                reference};

}  // namespace kernelbatch::workloads::clipped_relu
