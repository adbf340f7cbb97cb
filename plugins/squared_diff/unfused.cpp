// squared_diff as the three array operations of an unfused `(x - y) * (x - y)`.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work unfused(const SquaredDiff& in, Run& run) {
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto left = run.scratch(z.dtype(), z.shape());
  const auto right = run.scratch(z.dtype(), z.shape());
  const ElementwiseKernel subtract{
      {.in = "T x, T y", .out = "T z", .operation = "z = x - y", .name = "squared_diff_subtract"}};
  const ElementwiseKernel multiply{
      {.in = "T x, T y", .out = "T z", .operation = "z = x * y", .name = "squared_diff_multiply"}};

  return [=](Stream& stream) {
    subtract(stream, x, y, left);
    subtract(stream, x, y, right);
    multiply(stream, left, right, z);
  };
}
static const Variant kUnfused{"unfused", VariantKind::kUnfused,
                              "three array operations, as they are written", unfused};

}  // namespace kernelbatch::workloads::squared_diff
