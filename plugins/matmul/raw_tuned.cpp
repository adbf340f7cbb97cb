// matmul in plain CUDA, compiled for the tiles requested by a job.
#include "plugins/matmul/raw_tuned.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/tuning.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

/// Value of an unset `pad`, since 0 is a valid setting.
constexpr std::int64_t kUnsetPad = -1;

struct Tiles {
  std::int64_t m, n, k, thread_m, thread_n, vector, stages, pad, unroll, blocks_per_unit;

  std::int64_t threads() const { return m / thread_m * (n / thread_n); }
  /// Shared memory for the kernel's layout of stages, with elements of `item` bytes.
  std::int64_t shared_bytes(std::int64_t item) const {
    const auto whole = [](std::int64_t bytes) { return (bytes + 15) / 16 * 16; };
    return stages * (whole(k * (m + pad) * item) + whole(k * n * item));
  }
};

Tiles tiles_of(const Run& run, std::int64_t item) {
  Tiles t{};
  t.m = tuned(run, "tile_m", 128);
  t.n = tuned(run, "tile_n", 128);
  t.k = tuned(run, "tile_k", 64 / item);
  t.thread_m = tuned(run, "thread_m", 8);
  t.thread_n = tuned(run, "thread_n", 8);
  t.vector = tuned(run, "vector", 16 / item);
  t.stages = tuned(run, "stages", 2);
  const std::int64_t pad = run.params().integer("pad");
  t.pad = pad == kUnsetPad ? 16 / item : pad;
  t.unroll = tuned(run, "unroll", t.k);
  t.blocks_per_unit = tuned(run, "blocks_per_unit", 1);
  return t;
}

void require_kernel(const Tiles& t, const DeviceProperties& device, std::int64_t item) {
  const auto require_multiple = [](const char* name, std::int64_t value, const char* other,
                                   std::int64_t of) {
    require_tuning(value % of == 0,
                   setting(name, value) + " is no multiple of " + setting(other, of));
  };
  require_multiple("tile_m", t.m, "thread_m", t.thread_m);
  require_multiple("tile_n", t.n, "thread_n", t.thread_n);
  require_tuning(std::has_single_bit(static_cast<std::uint64_t>(t.vector)),
                 setting("vector", t.vector) + " is no power of two");
  require_multiple("tile_k", t.k, "vector", t.vector);
  require_multiple("tile_n", t.n, "vector", t.vector);
  require_tuning(t.unroll <= t.k,
                 setting("unroll", t.unroll) + " is more than " + setting("tile_k", t.k));
  require_tuning(t.threads() <= device.max_threads_per_block,
                 "(tile_m / thread_m) (tile_n / thread_n) is " + std::to_string(t.threads()) +
                     ", and a block has at most " + std::to_string(device.max_threads_per_block) +
                     " threads");
  require_tuning(t.threads() * t.blocks_per_unit <= device.max_threads_per_unit,
                 setting("blocks_per_unit", t.blocks_per_unit) + " of " +
                     std::to_string(t.threads()) + " threads, and a unit has at most " +
                     std::to_string(device.max_threads_per_unit));
  // Beyond this, compilation takes minutes and all sums are in local memory.
  constexpr std::int64_t kMostOfThread = 256, kMostCopied = 128;
  require_tuning(t.thread_m * t.thread_n <= kMostOfThread,
                 "thread_m thread_n is " + std::to_string(t.thread_m * t.thread_n) +
                     ", and a thread keeps at most " + std::to_string(kMostOfThread) + " sums");
  const std::int64_t copied = (t.m + t.n) * t.k / t.threads();
  require_tuning(copied <= kMostCopied, "(tile_m + tile_n) tile_k is " + std::to_string(copied) +
                                            " elements for a thread to copy, and it may have " +
                                            std::to_string(kMostCopied) +
                                            ": more threads, or a smaller tile_k");
  const std::int64_t bytes = t.shared_bytes(item);
  require_tuning(bytes <= static_cast<std::int64_t>(device.shared_per_block_optin),
                 "tile_k ((tile_m + pad) + tile_n) in " + setting("stages", t.stages) + " needs " +
                     std::to_string(bytes) + " bytes of shared memory, and a block has at most " +
                     std::to_string(device.shared_per_block_optin));
}

}  // namespace

std::vector<ParameterDeclaration> tuning_parameters() {
  return {tunable("tile_m", 1024,
                  "rows of C for a block of raw, a multiple of thread_m; 0: not set. If none of "
                  "these is set, raw is precompiled; else those not set are 128"),
          tunable("tile_n", 1024, "columns of C for a block, a multiple of thread_n; else 128"),
          tunable("tile_k", 256, "depth of a block's step, a multiple of vector; else 64 bytes"),
          tunable("thread_m", 64, "rows of C for a thread; else 8"),
          tunable("thread_n", 64, "columns of C for a thread; else 8"),
          tunable("vector", 8,
                  "elements loaded at once, a power of two, where rows of the matrices are "
                  "multiples of it; else 16 bytes"),
          tunable("stages", 2,
                  "steps in shared memory at once: 1, or 2 to fill one while the "
                  "other is multiplied; else 2"),
          tuning_parameter(integer_parameter(
              "pad", kUnsetPad, kUnsetPad, 32,
              "elements between rows of A in shared memory; -1: not set, then 16 bytes")),
          tunable("unroll", 256, "how often the loop over a step is unrolled; else tile_k"),
          tunable("blocks_per_unit", 16,
                  "blocks that are to fit on a unit, which bounds the registers of each; else 1")};
}

bool is_tuned(const Run& run) {
  return workloads::is_tuned(run, {"tile_m", "tile_n", "tile_k", "thread_m", "thread_n", "vector",
                                   "stages", "unroll", "blocks_per_unit"}) ||
         run.params().integer("pad") != kUnsetPad;
}

Work raw_tuned(const Matmul& in, Run& run) {
  const DTypeInfo& of_element = info(in.a.dtype());
  // Size of an element in shared memory: 16-bit floats are float32 there.
  const auto item = static_cast<std::int64_t>(size_of(of_element.accumulator));
  const Tiles t = tiles_of(run, item);
  require_kernel(t, run.device().properties(), item);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const auto piece = static_cast<std::uintptr_t>(
      std::min<std::int64_t>(t.vector * static_cast<std::int64_t>(size_of(in.a.dtype())), 16));
  const auto begins_well = [&](const Array& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) % piece == 0;
  };
  const bool has_vectors = in.k() % t.vector == 0 && in.n() % t.vector == 0 && begins_well(a) &&
                           begins_well(b) && begins_well(c);
  const std::string element =
      (is_reduced_float(in.a.dtype()) ? "kernelbatch::" : "") + std::string(of_element.c_name);
  const std::string entry = "matmul<" + element + (has_vectors ? ", true>" : ", false>");
  const RawKernel matmul{embedded::raw_tuned_cu,
                         entry,
                         {.options = macros({{"TILE_M", t.m},
                                             {"TILE_N", t.n},
                                             {"TILE_K", t.k},
                                             {"THREAD_M", t.thread_m},
                                             {"THREAD_N", t.thread_n},
                                             {"VECTOR", t.vector},
                                             {"STAGES", t.stages},
                                             {"PAD", t.pad},
                                             {"UNROLL", t.unroll},
                                             {"BLOCKS_PER_UNIT", t.blocks_per_unit}}),
                          .name = "matmul_raw_tuned"}};
  const std::int64_t across = (in.n() + t.n - 1) / t.n, down = (in.m() + t.m - 1) / t.m;
  require_tuning(across * down < std::int64_t{1} << 31,
                 "tile_m tile_n is too small for these matrices: a grid has less than 2^31 blocks");
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>(across * down)},
                          .block = {static_cast<std::uint32_t>(t.threads())},
                          .shared_bytes = static_cast<std::size_t>(t.shared_bytes(item))};
  const auto extent = [](std::int64_t value) { return static_cast<int>(value); };

  return [=, &in](Stream& stream) {
    matmul(stream, shape, a, b, c, extent(in.m()), extent(in.n()), extent(in.k()), extent(across));
  };
}

}  // namespace kernelbatch::workloads::matmul
