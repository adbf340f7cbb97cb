// wave2d on the CPU, in a wider type.
#include <vector>

#include "core/workload/host_input.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

static Work reference(const Wave2D& in, Run& run) {
  const Array out = run.output("field");
  const std::int64_t rows = in.q.shape()[0], cols = in.q.shape()[1];

  return dispatch_among<float, double>(in.q.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const auto q = in.q.as<T>();
    const auto start = in.start.as<T>();
    const auto field = out.as<T>();
    return [=, &in] {
      std::vector<W> before(start.begin(), start.end()), now = before, next = before;
      for (std::int64_t step = 0; step < in.steps; ++step) {
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < cols; ++c) {
            const auto at = static_cast<std::size_t>(r * cols + c);
            const W here = now[at];
            const W north = r > 0 ? now[at - static_cast<std::size_t>(cols)] : W{0};
            const W south = r < rows - 1 ? now[at + static_cast<std::size_t>(cols)] : W{0};
            const W west = c > 0 ? now[at - 1] : W{0};
            const W east = c < cols - 1 ? now[at + 1] : W{0};
            next[at] = 2 * here - before[at] + W{q[at]} * (north + south + west + east - 4 * here);
          }
        }
        before.swap(now);
        now.swap(next);
      }
      for (std::size_t k = 0; k < now.size(); ++k) field[k] = static_cast<T>(now[k]);
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "in a wider type on all cores", reference};

}  // namespace kernelbatch::workloads::wave2d
