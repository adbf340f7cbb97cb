// hillshade on the CPU in float64, cell by cell.
#include <algorithm>
#include <cmath>

#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {

static Work reference(const Hillshade& in, Run& run) {
  const auto slope = run.output("slope").as<float>();
  const auto shade = run.output("shade").as<float>();
  const auto heights = in.dem.as<std::int16_t>();
  const std::int64_t rows = in.dem.shape()[0];
  const std::int64_t columns = in.dem.shape()[1];
  const auto height = [=](std::int64_t row, std::int64_t column) {
    const std::int64_t r = std::clamp<std::int64_t>(row, 0, rows - 1);
    const std::int64_t c = std::clamp<std::int64_t>(column, 0, columns - 1);
    return static_cast<double>(heights[static_cast<std::size_t>(r * columns + c)]);
  };

  return [=, &in] {
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const double west = height(r - 1, c - 1) + 2 * height(r, c - 1) + height(r + 1, c - 1);
        const double east = height(r - 1, c + 1) + 2 * height(r, c + 1) + height(r + 1, c + 1);
        const double north = height(r - 1, c - 1) + 2 * height(r - 1, c) + height(r - 1, c + 1);
        const double south = height(r + 1, c - 1) + 2 * height(r + 1, c) + height(r + 1, c + 1);
        const double p = (east - west) * in.scale_x;
        const double q = (north - south) * in.scale_y;
        const double steepness = std::sqrt(p * p + q * q);
        const double length = std::sqrt(1 + p * p + q * q);
        const double cosine = (in.sun_up - p * in.sun_east - q * in.sun_north) / length;
        const auto at = static_cast<std::size_t>(r * columns + c);
        slope[at] = static_cast<float>(std::atan(steepness));
        shade[at] = static_cast<float>(std::max(0.0, cosine));
      }
    }
  };
}
static const Variant kReference{"reference", VariantKind::kReference, "float64 on all cores",
                                reference};

}  // namespace kernelbatch::workloads::hillshade
