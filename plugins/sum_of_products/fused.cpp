// sum_of_products as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace sum_of_products {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SumOfProducts&>(problem);
  const auto kernel = kernelbatch::fuse(
      [](auto x, auto y) { return sum(x * y, kernelbatch::axis(-1)); }, "sum_of_products_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");

  run.measure([&] { kernel.into(run.stream(), {z}, x, y); });
}

}  // namespace sum_of_products
