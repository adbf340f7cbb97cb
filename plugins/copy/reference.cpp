// copy on the CPU, element by element.
#include "core/workload/host_input.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

Work reference(const Copy& in, Run& run) {
  const Array out = run.output("y");
  const std::int64_t n = out.size();

  return dispatch_among<std::uint8_t, int, float, double>(in.x.dtype(), [&](auto zero) -> Work {
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

}  // namespace kernelbatch::workloads::copy
