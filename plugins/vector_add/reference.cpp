// vector_add on the CPU, element by element.
#include "core/plugin/host_input.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const kernelbatch::Array out = run.output("c");
  const std::int64_t n = out.size();

  kernelbatch::dispatch_among<int, std::int64_t, float, double>(in.a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto a = in.a.as<T>();
    const auto b = in.b.as<T>();
    const auto c = out.as<T>();

    run.measure([&] {
#pragma omp parallel for schedule(static)
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        c[at] = a[at] + b[at];
      }
    });
  });
}

}  // namespace vector_add
