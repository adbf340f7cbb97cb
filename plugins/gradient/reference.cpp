// gradient on the CPU, cell by cell.
#include <algorithm>

#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

static Work reference(const Gradient& in, Run& run) {
  const Array x_out = run.output("dx"), y_out = run.output("dy");
  const std::int64_t rows = in.u.shape()[0], cols = in.u.shape()[1];

  return dispatch_among(Types{}, in.u.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    const auto u = in.u.as<T>();
    const auto dx = x_out.as<T>();
    const auto dy = y_out.as<T>();

    return [=] {
      const auto at = [cols](std::int64_t row, std::int64_t column) {
        return static_cast<std::size_t>(row * cols + column);
      };
#pragma omp parallel for schedule(static)
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < cols; ++column) {
          const std::int64_t left = std::max<std::int64_t>(column - 1, 0);
          const std::int64_t right = std::min(column + 1, cols - 1);
          const std::int64_t above = std::max<std::int64_t>(row - 1, 0);
          const std::int64_t below = std::min(row + 1, rows - 1);
          dx[at(row, column)] = (u[at(row, right)] - u[at(row, left)]) / 2;
          dy[at(row, column)] = (u[at(below, column)] - u[at(above, column)]) / 2;
        }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference, "each cell on all cores",
                                reference};

}  // namespace kernelbatch::workloads::gradient
