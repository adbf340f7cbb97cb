// overlap in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/overlap/overlap.hpp"

namespace overlap {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Overlap&>(problem);
  constexpr std::int64_t kTile = 16;
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const kernelbatch::JitOptions options{.constants = {{"TILE", kTile}}};
  const kernelbatch::JitKernel sum{embedded::jit_cuh, "row_squares", options};
  const kernelbatch::JitKernel multiply{embedded::jit_cuh, "product", options};
  const auto across = static_cast<std::uint32_t>((in.m() + kTile - 1) / kTile);
  const kernelbatch::LaunchShape blocks{.grid = kernelbatch::loop_shape(in.rows(), 1).grid,
                                        .block = {256}};
  const kernelbatch::LaunchShape tiles{.grid = {across * across}, .block = {kTile, kTile}};

  run.measure([&] {
    sum(run.stream(), blocks, p, squares);
    multiply(run.stream(), tiles, a, b, product, static_cast<int>(across));
  });
}

}  // namespace overlap
