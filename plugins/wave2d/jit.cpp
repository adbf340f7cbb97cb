// wave2d in the JIT style: a launch for each step.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

static Work jit(const Wave2D& in, Run& run) {
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const JitKernel kernel{embedded::jit_cuh, "step"};
  const LaunchShape shape = loop_shape(run, q.size());

  return [=](Stream& stream) {
    fields.queue(stream, [&](const Array& now, const Array& before) {
      kernel(stream, shape, now, q, before);
    });
  };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "one thread for each cell, a launch for each step", jit};

}  // namespace kernelbatch::workloads::wave2d
