// texture_resample as a reduction: the weighted sum over the four neighbours of each sample.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work reduction(const TextureResample& in, Run& run) {
  const auto grid = run.to_device(in.grid);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const auto corner = run.to_device(arange(DType::kInt32, {1, 1, 4}));
  const auto across = x.reshape({1, in.x.size(), 1});
  const auto down = y.reshape({in.y.size(), 1, 1});
  const ReductionKernel kernel{
      {.in = "float32 x, float32 y, int32 corner, raw float32 grid, int32 is_linear",
       .out = "float32 sampled",
       .map = R"(
    const int rows = static_cast<int>(grid.shape()[0]), columns = static_cast<int>(grid.shape()[1]);
    const float shift = is_linear ? 0.5f : 0.0f;
    const float left = floorf(x - shift), top = floorf(y - shift);
    const float alpha = is_linear ? x - shift - left : 0.0f, beta = is_linear ? y - shift - top : 0.0f;
    const int right = corner % 2, below = corner / 2;
    const int row = min(max(static_cast<int>(top) + below, 0), rows - 1);
    const int column = min(max(static_cast<int>(left) + right, 0), columns - 1);
    const float weight = (right ? alpha : 1 - alpha) * (below ? beta : 1 - beta);
    return weight * grid[static_cast<long long>(row) * columns + column];)",
       .reduce = "a + b",
       .post_map = "sampled = a",
       .identity = "0",
       .name = "texture_resample_reduction"}};

  return [=, &in](Stream& stream) {
    kernel.over({2})(stream, across, down, corner, grid, in.is_linear ? 1 : 0, sampled);
  };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "weighted sum over the four neighbours", reduction};

}  // namespace kernelbatch::workloads::texture_resample
