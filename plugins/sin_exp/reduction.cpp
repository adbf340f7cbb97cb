// sin_exp as a reduction: the product over two factors of each element.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

static Work reduction(const SinExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto factor = run.to_device(arange(DType::kInt32, {2, 1}));
  const auto y = run.output("y");
  const ReductionKernel kernel{{.in = "T x, int32 factor",
                                .out = "T y",
                                .map = "factor == 0 ? sin(x) : exp(-x * x)",
                                .reduce = "a * b",
                                .post_map = "y = a",
                                .identity = "1",
                                .name = "sin_exp_reduction"}};

  return [=](Stream& stream) { kernel.over({0})(stream, x, factor, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "product over the two factors", reduction};

}  // namespace kernelbatch::workloads::sin_exp
