// l2norm as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

static Work fused(const L2Norm& in, Run& run) {
  const auto kernel = fuse([](auto x) { return sqrt(sum(x * x, axis(1))); }, "l2norm_fused");
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const auto cube = x.reshape({in.outer, in.length, in.inner});
  const auto norms = norm.reshape({in.outer, in.inner});

  return [=](Stream& stream) { kernel.into(stream, {norms}, cube); };
}
static const Variant kFused{"fused", VariantKind::kFused, "sqrt(sum(x * x, axis)) in one kernel",
                            fused};

}  // namespace kernelbatch::workloads::l2norm
