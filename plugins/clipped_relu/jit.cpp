// clipped_relu in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ClippedRelu&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "clipped_relu"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size());

  run.measure([&] { kernel(run.stream(), shape, x, y, in.cap); });
}

}  // namespace clipped_relu
