// square_exp in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace square_exp {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquareExp&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "square_exp"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size());

  run.measure([&] { kernel(run.stream(), shape, x, y); });
}

}  // namespace square_exp
