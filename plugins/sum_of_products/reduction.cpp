// sum_of_products as a reduction of two inputs along the last axis.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {

static Work reduction(const SumOfProducts& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const ReductionKernel kernel{{.in = "T x, T y",
                                .out = "T z",
                                .map = "x * y",
                                .reduce = "a + b",
                                .post_map = "z = a",
                                .identity = "0",
                                .name = "sum_of_products_reduction"}};

  return [=](Stream& stream) { kernel.over({1})(stream, x, y, z); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction, "what it is", reduction};

}  // namespace kernelbatch::workloads::sum_of_products
