// sum_of_products as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {

static Work fused(const SumOfProducts& in, Run& run) {
  const auto kernel =
      fuse([](auto x, auto y) { return sum(x * y, axis(-1)); }, "sum_of_products_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");

  return [=](Stream& stream) { kernel.into(stream, {z}, x, y); };
}
static const Variant kFused{"fused", VariantKind::kFused, "sum(x * y, axis(-1)) in one kernel",
                            fused};

}  // namespace kernelbatch::workloads::sum_of_products
