// sum_of_products in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace kernelbatch::workloads::sum_of_products {

static Work raw(const SumOfProducts& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];
  const std::int64_t pieces = pieces_of_sum(run.device().properties(), rows, cols, 8, 8192);
  const auto parts = run.scratch(in.x.dtype(), {rows, pieces});
  const std::string dtype(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"products_" + dtype, "add_up_" + dtype},
                         {.name = "sum_of_products_raw"}};
  const auto products = module.function("products_" + dtype);
  const auto add_up = module.function("add_up_" + dtype);
  const LaunchShape blocks{.grid = loop_shape(rows * pieces, 1).grid, .block = {256}};

  return [=](Stream& stream) {
    products(stream, blocks, x, y, parts, rows, cols, pieces);
    add_up(stream, loop_shape(rows), parts, z, rows, pieces);
  };
}
static const Variant kRaw{
    "raw", VariantKind::kRaw,
    "16-byte loads in several chains; blocks share a row, then a thread adds up their sums", raw};

}  // namespace kernelbatch::workloads::sum_of_products
