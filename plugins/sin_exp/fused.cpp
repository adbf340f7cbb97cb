// sin_exp as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace sin_exp {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SinExp&>(problem);
  const auto kernel =
      kernelbatch::fuse([&](auto x) { return sin(x) * exp(-(x * x)); }, "sin_exp_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");

  run.measure([&] { kernel.into(run.stream(), {y}, x); });
}

}  // namespace sin_exp
