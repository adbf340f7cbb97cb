// clipped_relu as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work fused(const ClippedRelu& in, Run& run) {
  const auto kernel =
      fuse([&](auto x) { return astype(minimum(maximum(x, 0), in.cap), in.x.dtype()); },
           "clipped_relu_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");

  return [=](Stream& stream) { kernel.into(stream, {y}, x); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::clipped_relu
