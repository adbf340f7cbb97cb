// matmul in plain CUDA, precompiled unless a job tunes it.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/matmul/matmul.hpp"
#include "plugins/matmul/raw_tuned.hpp"

namespace kernelbatch::workloads::matmul {

static Work raw(const Matmul& in, Run& run) {
  if (is_tuned(run)) return raw_tuned(in, run);
  // Size of an element in shared memory: 16-bit floats are float32 there.
  const auto item = static_cast<std::int64_t>(size_of(info(in.a.dtype()).accumulator));
  const std::int64_t rows = item == 4 ? 256 : 128, columns = 128;  // of a tile
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const auto tiles = [](std::int64_t extent, std::int64_t tile) {
    return static_cast<std::uint32_t>((extent + tile - 1) / tile);
  };
  const std::string dtype(name_of(in.a.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"matmul_" + dtype},
                         {.name = "matmul_raw"}};
  const auto matmul = module.function("matmul_" + dtype);
  const std::uint32_t across = tiles(in.n(), columns);
  // A thread has 32 pieces of 16 bytes of the tile.
  const LaunchShape shape{.grid = {across * tiles(in.m(), rows)},
                          .block = {static_cast<std::uint32_t>(rows * columns / 32 * item / 16)}};
  const auto extent = [](std::int64_t value) { return static_cast<int>(value); };

  return [=, &in](Stream& stream) {
    matmul(stream, shape, a, b, c, extent(in.m()), extent(in.n()), extent(in.k()),
           static_cast<int>(across));
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "tiles of 128 by 128, three stages in shared memory, float64 by tensor "
                          "cores; tuned: a kernel of the tiles that the job asks for",
                          raw};

}  // namespace kernelbatch::workloads::matmul
