// scaled_add as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work fused(const ScaledAdd& in, Run& run) {
  const auto kernel = fuse([&](auto a, auto b) { return (a + b) * in.scale; }, "scaled_add_fused");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");

  return [=](Stream& stream) { kernel.into(stream, {out}, a, b); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::scaled_add
