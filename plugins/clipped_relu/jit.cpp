// clipped_relu in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work jit(const ClippedRelu& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  // Elements of 16 bytes: arrays begin at a multiple of that.
  const std::int64_t width = 16 / static_cast<std::int64_t>(size_of(y.dtype()));
  const JitKernel kernel{
      embedded::jit_cuh,
      "clipped_relu",
      {.constants = {{"WIDTH", width}, {"ITEMS", run.params().integer("items_per_thread")}}}};
  const LaunchShape shape = loop_shape(run, y.size() / width);

  return [=, &in](Stream& stream) { kernel(stream, shape, x, y, in.cap); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::clipped_relu
