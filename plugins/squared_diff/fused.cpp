// squared_diff as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace squared_diff {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SquaredDiff&>(problem);
  const auto kernel =
      kernelbatch::fuse([](auto x, auto y) { return (x - y) * (x - y); }, "squared_diff_fused");
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");

  run.measure([&] { kernel.into(run.stream(), {z}, x, y); });
}

}  // namespace squared_diff
