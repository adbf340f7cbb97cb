// hillshade as a reduction over the 3 × 3 neighbours of each cell: two weighted sums of heights.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {

static Work reduction(const Hillshade& in, Run& run) {
  const std::int64_t rows = in.dem.shape()[0];
  const std::int64_t columns = in.dem.shape()[1];
  const auto dem = run.to_device(in.dem);
  const auto weight_x = run.to_device(Array::from<float>({-1, 0, 1, -2, 0, 2, -1, 0, 1}));
  const auto weight_y = run.to_device(Array::from<float>({1, 2, 1, 0, 0, 0, -1, -2, -1}));
  const auto slope = run.output("slope");
  const auto shade = run.output("shade");
  const ReductionKernel kernel{
      {.in = "int16 cell, float32 weight_x, float32 weight_y, raw int16 dem, float32 scale_x, "
             "float32 scale_y, float32 east, float32 north, float32 up",
       .out = "float32 slope, float32 shade",
       .map = R"(
    const long long rows = dem.shape()[0];
    const long long columns = dem.shape()[1];
    long long row = _i / columns + _J / 3 - 1;
    long long column = _i % columns + _J % 3 - 1;
    row = row < 0 ? 0 : row < rows ? row : rows - 1;
    column = column < 0 ? 0 : column < columns ? column : columns - 1;
    const float height = dem[row * columns + column];
    return Gradient{weight_x * height, weight_y * height};)",
       .reduce = "Gradient{a.x + b.x, a.y + b.y}",
       .post_map = R"(
    const float p = a.x * scale_x;
    const float q = a.y * scale_y;
    const float squares = p * p + q * q;
    slope = atanf(sqrtf(squares));
    shade = max(0.0f, (up - p * east - q * north) / sqrtf(1.0f + squares)))",
       .identity = std::nullopt,
       .name = "hillshade_reduction",
       .options = {.preamble = "struct Gradient { float x, y; };", .reduce_type = "Gradient"}}};
  const auto cells = dem.reshape({rows, columns, 1});

  return [=, &in](Stream& stream) {
    kernel.over({2})(stream, cells, weight_x, weight_y, dem, in.scale_x, in.scale_y, in.sun_east,
                     in.sun_north, in.sun_up, slope, shade);
  };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "both gradients over the 3 × 3 neighbours", reduction};

}  // namespace kernelbatch::workloads::hillshade
