// sum_of_products as what it is: a reduction of two inputs along the last axis.
#include "core/kernel/reduction.hpp"

#include "plugins/sum_of_products/sum_of_products.hpp"

namespace sum_of_products {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SumOfProducts&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const kernelbatch::ReductionKernel kernel{
      "T x, T y", "T z", "x * y", "a + b", "z = a", "0", "sum_of_products_reduction"};

  run.measure([&] { kernel.over({1})(run.stream(), x, y, z); });
}

}  // namespace sum_of_products
