// abs2 in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "abs2"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size());

  run.measure([&] { kernel(run.stream(), shape, z, y); });
}

}  // namespace abs2
