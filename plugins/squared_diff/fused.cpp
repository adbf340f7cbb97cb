// squared_diff as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work fused(const SquaredDiff& in, Run& run) {
  const auto kernel = fuse([](auto x, auto y) { return (x - y) * (x - y); }, "squared_diff_fused");
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");

  return [=](Stream& stream) { kernel.into(stream, {z}, x, y); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::squared_diff
