// scaled_add in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "scaled_add"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, out.size());

  run.measure([&] { kernel(run.stream(), shape, a, b, out, in.scale); });
}

}  // namespace scaled_add
