#include "core/report/explain/instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/explain/words.hpp"

namespace kernelbatch::explain {
namespace {

using enum Bottleneck;

/// Arrays smaller than this fraction of the L2 cache stay in it.
constexpr double kFits = 0.6;

/// Cycles of a compute unit for the instructions of one warp, by unit.
struct Cycles {
  double arithmetic = 0, shared = 0, global = 0;
  double most() const noexcept { return std::max({arithmetic, shared, global}); }
};

/// Lanes over the width of a unit, from CUDA's throughput table for compute capability 9.0; bytes
/// of global memory at the L2 cache's rate. Loops count as in the instruction mix.
Cycles cycles_of_warp(const Facts& f) {
  constexpr double kLanes = 32, kSharedBytes = 128, kUsualCacheBytes = 24;
  Cycles cycles;
  cycles.arithmetic = std::max({f.instructions("float32") / 4, f.instructions("float64") / 2,
                                f.instructions("special") * 2, f.instructions("integer") / 2,
                                f.instructions("matrix") * 4, f.all_instructions() / 4});
  const double shared = f.instructions("shared");
  cycles.shared = f.instructions("shuffle") +
                  (std::isnan(f.shared_bytes_of_thread)
                       ? shared
                       : std::max(shared, f.shared_bytes_of_thread * kLanes / kSharedBytes));
  const double known = f.cache.ceiling / (f.units * f.clock);
  const double cache_bytes = std::isnan(known) ? kUsualCacheBytes : known;
  constexpr double kUsualBytes = 4;
  const double accesses = f.instructions("global_load") + f.instructions("global_store");
  const double bytes_of_thread =
      std::isnan(f.global_bytes_of_thread) ? kUsualBytes * accesses : f.global_bytes_of_thread;
  cycles.global = bytes_of_thread * kLanes / cache_bytes;
  return cycles;
}

std::string reads_more(const Facts& f) {
  return fmt::format(
      "it moves only {} of what a copy moves in that time: it reads more than it uses",
      share(f.memory_time() / f.time));
}

}  // namespace

std::optional<Diagnosis> few_instructions(const Facts& f) {
  constexpr double kPart = 0.5, kWarp = 32;
  if (!f.is_gpu || f.has_counters || !f.has_instructions() || f.loops != 0) return std::nullopt;
  const double warps = f.blocks * std::ceil(f.threads / kWarp);
  const double of_time = cycles_of_warp(f).most() * warps / (f.units * f.clock) / f.time;
  if (!(of_time < kPart) || !(f.instructions("global_load") + f.instructions("global_store") > 0))
    return std::nullopt;
  const std::string text = fmt::format(
      "its instructions, which no loop repeats, take at most {} of its time", share(of_time));
  if (f.array_bytes < kFits * f.cache_size)
    return Diagnosis{kCache,
                     fmt::format("{}, and its {} fit in the L2 cache", text, bytes(f.array_bytes))};
  return Diagnosis{kMemory, fmt::format("{}, and {}", text, reads_more(f))};
}

std::optional<Diagnosis> by_instructions(const Facts& f) {
  if (!f.is_gpu || f.has_counters || !f.has_instructions()) return std::nullopt;
  const Cycles cycles = cycles_of_warp(f);
  if (cycles.arithmetic > cycles.shared && cycles.arithmetic > cycles.global) {
    // Code without divergence has loops, but few other branches.
    constexpr double kMany = 0.08;
    const double branches = f.instructions("branch") / f.all_instructions();
    if (f.instructions("reconverge") > 0 && branches > kMany)
      return Diagnosis{kDivergence,
                       fmt::format("by its instructions it computes most; {} of them are branches "
                                   "in which the threads of a warp may diverge",
                                   share(branches))};
    return Diagnosis{kCompute, "by its instructions it computes most"};
  }
  if (cycles.shared > cycles.global)
    return Diagnosis{kCache, "by its instructions it uses shared memory most"};
  if (f.array_bytes < kFits * f.cache_size)
    return Diagnosis{kCache,
                     fmt::format("by its instructions it uses global memory most, and its {} "
                                 "fit in the L2 cache",
                                 bytes(f.array_bytes))};
  return Diagnosis{kMemory, fmt::format("by its instructions it uses global memory most, and {}",
                                        reads_more(f))};
}

}  // namespace kernelbatch::explain
