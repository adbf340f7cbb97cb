// l2norm as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace l2norm {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const L2Norm&>(problem);
  const auto kernel = kernelbatch::fuse(
      [](auto x) { return sqrt(sum(x * x, kernelbatch::axis(1))); }, "l2norm_fused");
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const auto cube = x.reshape({in.outer, in.length, in.inner});
  const auto norms = norm.reshape({in.outer, in.inner});

  run.measure([&] { kernel.into(run.stream(), {norms}, cube); });
}

}  // namespace l2norm
