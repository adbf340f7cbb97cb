// mse as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work fused(const Mse& in, Run& run) {
  const auto kernel =
      fuse([](auto y_true, auto y_pred) { return mean((y_pred - y_true) * (y_pred - y_true)); },
           "mse_fused");
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");

  return [=](Stream& stream) { kernel.into(stream, {out}, y_true, y_pred); };
}
static const Variant kFused{"fused", VariantKind::kFused,
                            "mean((y_pred - y_true) * (y_pred - y_true)) in one kernel", fused};

}  // namespace kernelbatch::workloads::mse
