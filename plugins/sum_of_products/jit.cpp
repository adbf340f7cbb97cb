// sum_of_products in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/sum_of_products/sum_of_products.hpp"

namespace sum_of_products {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SumOfProducts&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::int64_t rows = in.x.shape()[0], cols = in.x.shape()[1];
  const std::int64_t pieces =
      kernelbatch::pieces_of_sum(run.device().properties(), rows, cols, 8, 8192);
  const auto parts = run.scratch(in.x.dtype(), {rows, pieces});
  const kernelbatch::JitKernel products{embedded::jit_cuh, "products"};
  const kernelbatch::JitKernel add_up{embedded::jit_cuh, "add_up"};
  const kernelbatch::LaunchShape wide = kernelbatch::loop_shape(rows * pieces, 1);
  const kernelbatch::LaunchShape blocks{.grid = wide.grid, .block = {256}};

  run.measure([&] {
    products(run.stream(), blocks, x, y, parts);
    add_up(run.stream(), kernelbatch::loop_shape(rows), parts, z);
  });
}

}  // namespace sum_of_products
