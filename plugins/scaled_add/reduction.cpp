// scaled_add as a reduction: the sum over the rows of {a, b}, then the factor.
#include "core/kernel/reduction/kernel.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work reduction(const ScaledAdd& in, Run& run) {
  const auto rows = run.to_device(stack({in.a, in.b}));
  const auto out = run.output("out");
  const ReductionKernel kernel{{.in = "T term, T scale",
                                .out = "T out",
                                .map = "term",
                                .reduce = "a + b",
                                .post_map = "out = a * scale",
                                .identity = "0",
                                .name = "scaled_add_reduction"}};

  return [=, &in](Stream& stream) { kernel.over({0})(stream, rows, in.scale, out); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum over the two rows of {a, b}, scaled in the post-map",
                                reduction};

}  // namespace kernelbatch::workloads::scaled_add
