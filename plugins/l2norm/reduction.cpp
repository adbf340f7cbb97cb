// l2norm as a reduction with a root as its post-map.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

static Work reduction(const L2Norm& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T norm",
                                .map = "x * x",
                                .reduce = "a + b",
                                .post_map = "norm = sqrt(a)",
                                .identity = "0",
                                .name = "l2norm_reduction"}};
  const auto cube = x.reshape({in.outer, in.length, in.inner});
  const auto norms = norm.reshape({in.outer, in.inner});

  return [=](Stream& stream) { kernel.over({1})(stream, cube, norms); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction, "what it is", reduction};

}  // namespace kernelbatch::workloads::l2norm
