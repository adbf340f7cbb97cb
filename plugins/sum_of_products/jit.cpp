// sum_of_products in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {

static Work jit(const SumOfProducts& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];
  const std::int64_t pieces = pieces_of_sum(run.device().properties(), rows, cols, 8, 8192);
  const auto parts = run.scratch(in.x.dtype(), {rows, pieces});
  const JitKernel products{embedded::jit_cuh, "products"};
  const JitKernel add_up{embedded::jit_cuh, "add_up"};
  const LaunchShape wide = loop_shape(rows * pieces, 1);
  const LaunchShape blocks{.grid = wide.grid, .block = {256}};

  return [=](Stream& stream) {
    products(stream, blocks, x, y, parts);
    add_up(stream, loop_shape(rows), parts, z);
  };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "blocks share a row, then a thread adds up their sums", jit};

}  // namespace kernelbatch::workloads::sum_of_products
