// hillshade in the elementwise style: the model is a raw array, the cell's neighbours are indexed.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {

static Work elementwise(const Hillshade& in, Run& run) {
  const auto dem = run.to_device(in.dem);
  const auto slope = run.output("slope");
  const auto shade = run.output("shade");
  const ElementwiseKernel kernel{{.in = "raw int16 dem, float32 scale_x, float32 scale_y, float32 "
                                        "east, float32 north, float32 up",
                                  .out = "float32 slope, float32 shade",
                                  .operation = R"(
    const long long columns = dem.shape()[1];
    const long long above = (i0 > 0 ? i0 - 1 : 0) * columns;
    const long long here = i0 * columns;
    const long long below = (i0 < dem.shape()[0] - 1 ? i0 + 1 : i0) * columns;
    const long long left = i1 > 0 ? i1 - 1 : 0;
    const long long right = i1 < columns - 1 ? i1 + 1 : i1;
    const int a = dem[above + left], b = dem[above + i1], c = dem[above + right];
    const int d = dem[here + left], f = dem[here + right];
    const int g = dem[below + left], h = dem[below + i1], k = dem[below + right];
    const float p = static_cast<float>((c + 2 * f + k) - (a + 2 * d + g)) * scale_x;
    const float q = static_cast<float>((a + 2 * b + c) - (g + 2 * h + k)) * scale_y;
    const float squares = p * p + q * q;
    slope = atanf(sqrtf(squares));
    shade = max(0.0f, (up - p * east - q * north) / sqrtf(1.0f + squares)))",
                                  .name = "hillshade_elementwise"}};

  return [=, &in](Stream& stream) {
    kernel(stream, dem, in.scale_x, in.scale_y, in.sun_east, in.sun_north, in.sun_up, slope, shade);
  };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "the model as a raw array", elementwise};

}  // namespace kernelbatch::workloads::hillshade
