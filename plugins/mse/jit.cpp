// mse in the JIT style: function templates, compiled for the arrays that they are called with.
#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work jit(const Mse& in, Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const std::int64_t blocks = 8 * run.device().properties().compute_units;
  const auto partial = run.scratch(in.y_true.dtype(), {blocks});
  const JitOptions options{.constants = {{"BLOCK", kBlock}}};
  const JitKernel squares{embedded::jit_cuh, "squares", options};
  const JitKernel mean{embedded::jit_cuh, "mean", options};
  const LaunchShape wide{.grid = {static_cast<std::uint32_t>(blocks)}, .block = {kBlock}};
  const LaunchShape one{.grid = {1}, .block = {kBlock}};

  return [=, &in](Stream& stream) {
    squares(stream, wide, y_true, y_pred, partial);
    mean(stream, one, partial, out, static_cast<double>(in.y_true.size()));
  };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "grid-stride loop, then one block over the partial sums", jit};

}  // namespace kernelbatch::workloads::mse
