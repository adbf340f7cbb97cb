// overlap in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

static Work jit(const Overlap& in, Run& run) {
  constexpr std::int64_t kTile = 16;
  const auto p = run.to_device(in.p);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto squares = run.output("squares");
  const auto product = run.output("product");
  const JitOptions options{.constants = {{"TILE", kTile}}};
  const JitKernel sum{embedded::jit_cuh, "row_squares", options};
  const JitKernel multiply{embedded::jit_cuh, "product", options};
  const auto across = static_cast<std::uint32_t>((in.m() + kTile - 1) / kTile);
  const LaunchShape blocks{.grid = loop_shape(in.rows(), 1).grid, .block = {256}};
  const LaunchShape tiles{.grid = {across * across}, .block = {kTile, kTile}};

  return [=](Stream& stream) {
    sum(stream, blocks, p, squares);
    multiply(stream, tiles, a, b, product, static_cast<int>(across));
  };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "a block for each row, then tiles in shared memory", jit};

}  // namespace kernelbatch::workloads::overlap
