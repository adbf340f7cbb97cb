// vector_add in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "vector_add"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, c.size());

  run.measure([&] { kernel(run.stream(), shape, a, b, c); });
}

}  // namespace vector_add
