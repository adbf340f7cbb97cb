// squared_diff in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace squared_diff {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquaredDiff&>(problem);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto y_all = y.broadcast_to({in.rows, in.cols});
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "squared_diff"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(z.size(), 256, 4);

  run.measure([&] { kernel(run.stream(), shape, x, y_all, z); });
}

}  // namespace squared_diff
