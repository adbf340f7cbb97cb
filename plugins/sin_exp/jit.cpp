// sin_exp in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

static Work jit(const SinExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  // Elements of 16 bytes: arrays begin at a multiple of that.
  const std::int64_t width = 16 / static_cast<std::int64_t>(size_of(y.dtype()));
  const JitKernel kernel{
      embedded::jit_cuh,
      "sin_exp",
      {.constants = {{"WIDTH", width}, {"ITEMS", run.params().integer("items_per_thread")}}}};
  const LaunchShape shape = loop_shape(run, y.size() / width);

  return [=](Stream& stream) { kernel(stream, shape, x, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "16-byte loads and stores, four in flight",
                          jit};

}  // namespace kernelbatch::workloads::sin_exp
