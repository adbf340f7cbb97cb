// abs2 as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work fused(const Abs2& in, Run& run) {
  const auto kernel =
      fuse([&](auto z) { return real(z) * real(z) + imag(z) * imag(z); }, "abs2_fused");
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");

  return [=](Stream& stream) { kernel.into(stream, {y}, z); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::abs2
