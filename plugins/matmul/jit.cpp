// matmul in the JIT style: tiles in shared memory, whose size is a compile-time constant.
#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {

static Work jit(const Matmul& in, Run& run) {
  constexpr std::int64_t kTile = 128, kDepth = 8;
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const auto tiles = [](std::int64_t extent, std::int64_t tile) {
    return static_cast<std::uint32_t>((extent + tile - 1) / tile);
  };
  const JitKernel kernel{embedded::jit_cuh, "matmul", {.constants = {{"DEPTH", kDepth}}}};
  // A grid has few rows along y, so the tiles of all rows are along x.
  const std::uint32_t across = tiles(in.n(), kTile);
  const LaunchShape shape{.grid = {across * tiles(in.m(), kTile)}, .block = {256}};

  return [=](Stream& stream) { kernel(stream, shape, a, b, c, static_cast<int>(across)); };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "tiles of 128 by 128 in shared memory, 64 sums in each thread", jit};

}  // namespace kernelbatch::workloads::matmul
