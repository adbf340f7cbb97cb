// overlap as two reductions along an axis.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

static Work reduction(const Overlap& in, Run& run) {
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const ReductionKernel sum{{.in = "T p",
                             .out = "T squares",
                             .map = "p * p",
                             .reduce = "a + b",
                             .post_map = "squares = a",
                             .identity = "0",
                             .name = "overlap_squares"}};
  const ReductionKernel multiply{{.in = "T left, T right",
                                  .out = "T product",
                                  .map = "left * right",
                                  .reduce = "a + b",
                                  .post_map = "product = a",
                                  .identity = "0",
                                  .name = "overlap_product"}};
  const auto left = a.reshape({in.m(), 1, in.m()});
  const int axes[] = {0, 2, 1};
  const auto right = b.reshape({1, in.m(), in.m()}).transpose(axes);

  return [=](Stream& stream) {
    sum.over({1})(stream, p, squares);
    multiply.over({2})(stream, left, right, product);
  };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "both as reductions along an axis", reduction};

}  // namespace kernelbatch::workloads::overlap
