// wave2d in the JIT style: a launch for each step.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace wave2d {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Wave2D&>(problem);
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "step"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, q.size());

  run.measure([&] {
    fields.queue(run.stream(),
                 [&](const kernelbatch::Array& now, const kernelbatch::Array& before) {
                   kernel(run.stream(), shape, now, q, before);
                 });
  });
}

}  // namespace wave2d
