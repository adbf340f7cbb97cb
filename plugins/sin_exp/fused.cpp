// sin_exp as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

static Work fused(const SinExp& in, Run& run) {
  const auto kernel = fuse([&](auto x) { return sin(x) * exp(-(x * x)); }, "sin_exp_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");

  return [=](Stream& stream) { kernel.into(stream, {y}, x); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::sin_exp
