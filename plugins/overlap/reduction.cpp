// overlap as two reductions along an axis.
#include "core/kernel/reduction.hpp"

#include "plugins/overlap/overlap.hpp"

namespace overlap {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Overlap&>(problem);
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const kernelbatch::ReductionKernel sum{"T p",         "T squares", "p * p",          "a + b",
                                         "squares = a", "0",         "overlap_squares"};
  const kernelbatch::ReductionKernel multiply{"T left, T right", "T product",   "left * right",
                                              "a + b",           "product = a", "0",
                                              "overlap_product"};
  const auto left = a.reshape({in.m(), 1, in.m()});
  const int axes[] = {0, 2, 1};
  const auto right = b.reshape({1, in.m(), in.m()}).transpose(axes);

  run.measure([&] {
    sum.over({1})(run.stream(), p, squares);
    multiply.over({2})(run.stream(), left, right, product);
  });
}

}  // namespace overlap
