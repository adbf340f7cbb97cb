// vector_add as a reduction: the sum over the rows of {a, b}.
#include "core/kernel/reduction/kernel.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

static Work reduction(const VectorAdd& in, Run& run) {
  const auto rows = run.to_device(stack({in.a, in.b}));
  const auto c = run.output("c");
  const ReductionKernel kernel{{.in = "T term",
                                .out = "T c",
                                .map = "term",
                                .reduce = "a + b",
                                .post_map = "c = a",
                                .identity = "0",
                                .name = "vector_add_reduction"}};

  return [=](Stream& stream) { kernel.over({0})(stream, rows, c); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum over the two rows of {a, b}", reduction};

}  // namespace kernelbatch::workloads::vector_add
