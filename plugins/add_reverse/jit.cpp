// add_reverse in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace add_reverse {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const AddReverse&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "add_reverse"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, z.size());

  run.measure([&] { kernel(run.stream(), shape, x, y, z); });
}

}  // namespace add_reverse
