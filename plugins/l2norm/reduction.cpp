// l2norm as what it is: a reduction with a root as its post-map.
#include "core/kernel/reduction.hpp"

#include "plugins/l2norm/l2norm.hpp"

namespace l2norm {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const L2Norm&>(problem);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const kernelbatch::ReductionKernel kernel{
      "T x", "T norm", "x * x", "a + b", "norm = sqrt(a)", "0", "l2norm_reduction"};
  const auto cube = x.reshape({in.outer, in.length, in.inner});
  const auto norms = norm.reshape({in.outer, in.inner});

  run.measure([&] { kernel.over({1})(run.stream(), cube, norms); });
}

}  // namespace l2norm
