// scaled_add on the CPU, element by element, in a wider type.
#include "core/plugin/host_input.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const kernelbatch::Array out = run.output("out");
  const std::int64_t n = out.size();

  kernelbatch::dispatch_among<float, double>(in.a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using W = kernelbatch::Wider<T>;
    const auto a = in.a.as<T>();
    const auto b = in.b.as<T>();
    const auto out_values = out.as<T>();
    const auto scale = static_cast<W>(static_cast<T>(in.scale));

    run.measure([&] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        out_values[at] = static_cast<T>((W{a[at]} + W{b[at]}) * scale);
      }
    });
  });
}

}  // namespace scaled_add
