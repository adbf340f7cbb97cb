// square_exp as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work fused(const SquareExp& in, Run& run) {
  const auto kernel = fuse([&](auto x) { return exp(x * x); }, "square_exp_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");

  return [=](Stream& stream) { kernel.into(stream, {y}, x); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::square_exp
