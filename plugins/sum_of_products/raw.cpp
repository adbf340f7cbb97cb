// sum_of_products in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace sum_of_products {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SumOfProducts&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];
  const std::int64_t pieces =
      kernelbatch::pieces_of_sum(run.device().properties(), rows, cols, 8, 8192);
  const auto parts = run.scratch(in.x.dtype(), {rows, pieces});
  const std::string dtype(kernelbatch::name_of(in.x.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {"products_" + dtype, "add_up_" + dtype},
      {.name = "sum_of_products_raw"}};
  const auto products = module.function("products_" + dtype);
  const auto add_up = module.function("add_up_" + dtype);
  const kernelbatch::LaunchShape blocks{.grid = kernelbatch::loop_shape(rows * pieces, 1).grid,
                                        .block = {256}};

  run.measure([&] {
    products(run.stream(), blocks, x, y, parts, rows, cols, pieces);
    add_up(run.stream(), kernelbatch::loop_shape(rows), parts, z, rows, pieces);
  });
}

}  // namespace sum_of_products
