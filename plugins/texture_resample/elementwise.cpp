// texture_resample in the elementwise style: the grid is a raw array, the coordinates broadcast.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work elementwise(const TextureResample& in, Run& run) {
  const auto grid = run.to_device(in.grid);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const ElementwiseKernel kernel{{.in = "raw float32 grid, float32 x, float32 y, int32 is_linear",
                                  .out = "float32 sampled",
                                  .operation = R"(
    const int rows = static_cast<int>(grid.shape()[0]), columns = static_cast<int>(grid.shape()[1]);
    const float shift = is_linear ? 0.5f : 0.0f;
    const float left = floorf(x - shift), top = floorf(y - shift);
    const auto row = [&](float at) { return static_cast<long long>(min(max(static_cast<int>(at), 0), rows - 1)) * columns; };
    const auto column = [&](float at) { return min(max(static_cast<int>(at), 0), columns - 1); };
    sampled = grid[row(top) + column(left)];
    if (is_linear) {
      const float alpha = x - shift - left, beta = y - shift - top;
      const float above = (1 - alpha) * sampled + alpha * grid[row(top) + column(left + 1)];
      const float below = (1 - alpha) * grid[row(top + 1) + column(left)] + alpha * grid[row(top + 1) + column(left + 1)];
      sampled = (1 - beta) * above + beta * below;
    })",
                                  .name = "texture_resample_elementwise"}};

  return [=, &in](Stream& stream) { kernel(stream, grid, x, y, in.is_linear ? 1 : 0, sampled); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "the grid as a raw array, coordinates broadcast", elementwise};

}  // namespace kernelbatch::workloads::texture_resample
