// square_exp as a reduction over an axis of length 1.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work reduction(const SquareExp& in, Run& run) {
  const auto x = run.to_device(in.x).reshape({in.x.size(), 1});
  const auto y = run.output("y");
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "exp(x * x)",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "square_exp_reduction"}};

  return [=](Stream& stream) { kernel.over({1})(stream, x, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction, "over an axis of length 1",
                                reduction};

}  // namespace kernelbatch::workloads::square_exp
