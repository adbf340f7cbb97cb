// add_reverse on the CPU, element by element.
#include "core/plugin/host_input.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace add_reverse {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const AddReverse&>(problem);
  const kernelbatch::Array out = run.output("z");
  const std::int64_t n = out.size();

  kernelbatch::dispatch_among<int, float, double>(in.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto x = in.x.as<T>();
    const auto y = in.y.as<T>();
    const auto z = out.as<T>();

    run.measure([&] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        z[at] = x[at] + y[static_cast<std::size_t>(n - 1 - k)];
      }
    });
  });
}

}  // namespace add_reverse
