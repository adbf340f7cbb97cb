// copy on the CPU, element by element.
#include "core/plugin/host_input.hpp"
#include "plugins/copy/copy.hpp"

namespace copy {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Copy&>(problem);
  const kernelbatch::Array out = run.output("y");
  const std::int64_t n = out.size();

  kernelbatch::dispatch_among<std::uint8_t, int, float, double>(in.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();

    run.measure([&] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        y[at] = x[at];
      }
    });
  });
}

}  // namespace copy
