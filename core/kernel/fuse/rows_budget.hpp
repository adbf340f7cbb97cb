// Packs of a row, how many of them a thread may keep, and rows of small blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/kernel/fuse/rows_policy.hpp"
#include "core/kernel/fuse/rows_tuning.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {

/// True if threads keep a maximum and a sum of float64 of each row, of which one value remains.
inline bool has_pairs(const RowsProblem& problem) {
  return problem.gives_rows && problem.kept >= 16;
}

/// Threads that a row's packs leave idle, as a share of those that are busy.
inline double idle_share(std::int64_t packs, int lanes) {
  return static_cast<double>(ceil_divide(packs, lanes) * lanes) / static_cast<double>(packs) - 1;
}

struct RowsBudget {
  std::int64_t packs;  ///< of a row
  int some, most;      ///< packs of a thread
  int warp;            ///< at most, if a warp has a row
  int two_warps;       ///< at most, if two warps have a row
  int long_row;        ///< at most, if one block of kTuning.long_row threads has a row
  int one_block;       ///< at most, if one block of kTuning.most_threads has a row
  int chunk;           ///< at a time, of a row that does not fit into registers

  int most_of(const RowsSchedule& s) const noexcept {
    if (s.blocks == 1 && s.lanes <= 32) return warp;
    if (s.blocks == 1 && s.lanes == kTuning.two_warps) return two_warps;
    if (s.blocks == 1 && s.lanes == kTuning.long_row) return long_row;
    return s.blocks == 1 && s.lanes == kTuning.most_threads ? one_block : most;
  }
};

/// For a schedule whose pack is chosen.
inline RowsBudget budget_of(const RowsSchedule& s, const RowsProblem& problem,
                            const DeviceProperties& device) {
  const int pack_bytes = std::max(1, s.pack * problem.kept);
  const bool can_have_many =
      problem.gives_rows || s.pack * problem.smallest >= device.vector_bytes / 2;
  const auto packs_of = [&](int bytes, int elements) {
    return std::max(1, std::min(bytes / pack_bytes, elements / s.pack));
  };
  const auto usual = [&](int bytes) {
    return packs_of(bytes, can_have_many ? kTuning.most_in_packs : kTuning.most_elements);
  };
  const std::int64_t before = s.is_shifted ? s.pack - 1 : 0;  // of a row's first pack
  const bool is_short =
      problem.kept == 8 && problem.smallest == 8 && problem.length <= kTuning.short_float64;
  const bool has_whole_packs = can_have_many && !s.is_shifted && !problem.gives_rows;
  const int most = usual(kTuning.most_bytes);
  return {.packs = ceil_divide(before + problem.length, s.pack),
          .some = usual(problem.gives_rows ? kTuning.bytes_for_rows
                        : is_short         ? kTuning.bytes_of_short_float64
                                           : kTuning.bytes),
          .most = most,
          .warp = has_pairs(problem) && s.pack > 1 ? 2 * most : most,
          .two_warps = has_pairs(problem) ? kTuning.packs_of_two_warps : most,
          .long_row = has_whole_packs ? usual(kTuning.bytes_of_long_row) : most,
          .one_block = has_whole_packs && problem.smallest == 2
                           ? packs_of(kTuning.most_bytes, kTuning.elements_of_one_block)
                           : most,
          .chunk = usual(kTuning.chunk_bytes)};
}

/// Lanes of a row that is read by single elements: as few idle ones as possible, which read whole
/// sectors.
inline int lanes_of_single_elements(const RowsProblem& problem, const RowsBudget& budget,
                                    int warp) {
  const bool is_long = budget.packs > kTuning.staged_length, maps = !problem.gives_rows;
  const int least = problem.smallest <= 2 || (is_long && maps) ? kTuning.least_lanes
                    : is_long                                  ? kTuning.sector / problem.smallest
                                                               : 1;
  const int most = problem.smallest == 4 && maps ? budget.some : budget.most;
  int best = warp;
  for (int lanes = warp; lanes >= least; lanes /= 2) {
    const std::int64_t items = ceil_divide(budget.packs, lanes);
    if (items > most) break;
    // As few lanes as suffice: they join fewer values.
    const int saved = problem.smallest == 4 && lanes >= kTuning.least_lanes ? 1 : 0;
    if (items * lanes < ceil_divide(budget.packs, best) * best + saved) best = lanes;
  }
  return best;
}

/// True if two warps have a row of pairs: they join less than the four or eight that the usual
/// budget takes.
inline bool fits_two_warps(const RowsSchedule& s, const RowsProblem& problem,
                           const RowsBudget& budget, const DeviceProperties& device) {
  return has_pairs(problem) && s.blocks == 1 && !s.is_shifted &&
         budget.packs <= std::int64_t{kTuning.two_warps} * kTuning.packs_of_two_warps &&
         problem.rows >= std::int64_t{kTuning.rows_for_two_warps} * device.compute_units;
}

/// True if a row of packs of 8 bytes lies within a sector, or nearly: one thread has it.
inline bool is_sector(const RowsProblem& problem) {
  return problem.pack > 1 && problem.pack * problem.smallest == 8 && !problem.gives_rows &&
         problem.length * problem.smallest <= kTuning.sector;
}

/// Rows of a block whose warps have whole rows: small blocks end one by one, but begin at a limited
/// rate.
inline int rows_of_warps(const RowsSchedule& s, const RowsProblem& problem) {
  const std::int64_t least = (problem.gives_rows ? 2 : 1) * kTuning.bytes_of_small_block;
  if (s.lanes == kTuning.warp && !problem.gives_rows &&
      problem.length * problem.smallest >= kTuning.bytes_of_one_warp)
    return 1;
  int threads = has_pairs(problem) ? 2 * kTuning.small_block : kTuning.small_block;
  while (threads < kTuning.block && threads / s.lanes * problem.length * problem.smallest < least)
    threads *= 2;
  return threads / s.lanes;
}

}  // namespace kernelbatch
