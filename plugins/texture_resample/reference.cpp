// texture_resample on the CPU in float64.
#include <algorithm>
#include <cmath>

#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work reference(const TextureResample& in, Run& run) {
  const Array out = run.output("sampled");
  const auto sampled = out.as<float>();
  const auto grid = in.grid.as<float>();
  const auto x = in.x.as<float>(), y = in.y.as<float>();
  const std::int64_t rows = in.grid.shape()[0], columns = in.grid.shape()[1];
  const auto cell = [=](double row, double column) {
    const auto r = static_cast<std::int64_t>(std::clamp(row, 0.0, static_cast<double>(rows - 1)));
    const auto c =
        static_cast<std::int64_t>(std::clamp(column, 0.0, static_cast<double>(columns - 1)));
    return static_cast<double>(grid[static_cast<std::size_t>(r * columns + c)]);
  };

  return [=, &in] {
#pragma omp parallel for schedule(static)
    for (std::size_t r = 0; r < y.size(); ++r) {
      for (std::size_t c = 0; c < x.size(); ++c) {
        double value = 0;
        if (in.is_linear) {
          const double u = static_cast<double>(x[c]) - 0.5, v = static_cast<double>(y[r]) - 0.5;
          const double left = std::floor(u), top = std::floor(v);
          const double alpha = u - left, beta = v - top;
          value = (1 - beta) * ((1 - alpha) * cell(top, left) + alpha * cell(top, left + 1)) +
                  beta * ((1 - alpha) * cell(top + 1, left) + alpha * cell(top + 1, left + 1));
        } else {
          value =
              cell(std::floor(static_cast<double>(y[r])), std::floor(static_cast<double>(x[c])));
        }
        sampled[r * x.size() + c] = static_cast<float>(value);
      }
    }
  };
}
static const Variant kReference{"reference", VariantKind::kReference, "float64 on all cores",
                                reference};

}  // namespace kernelbatch::workloads::texture_resample
