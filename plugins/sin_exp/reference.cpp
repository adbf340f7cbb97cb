// sin_exp on the CPU, element by element, in a wider type.
#include <cmath>

#include "core/plugin/host_input.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace sin_exp {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SinExp&>(problem);
  const kernelbatch::Array out = run.output("y");
  const std::int64_t n = out.size();

  kernelbatch::dispatch_among<float, double>(in.x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using W = kernelbatch::Wider<T>;
    const auto x = in.x.as<T>();
    const auto y = out.as<T>();

    run.measure([&] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const W value = x[at];
        y[at] = static_cast<T>(std::sin(value) * std::exp(-value * value));
      }
    });
  });
}

}  // namespace sin_exp
