#include "plugins/l2norm/schedule.hpp"

#include <algorithm>

#include "core/workload/launch.hpp"

namespace kernelbatch::workloads::l2norm {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Schedule schedule(const L2Norm& problem, int compute_units) {
  // Memory is busy with 4 KB on their way in each of a few blocks of every unit; some more even out
  // what they finish at different times.
  const std::int64_t wanted_blocks = 8 * std::int64_t{compute_units};
  constexpr std::int64_t kRowsInFlight = 4, kGrain = 8192;
  const std::int64_t norms = problem.outer * problem.inner, length = problem.length;
  const std::int64_t row = problem.inner == 1 ? length : problem.inner;
  const std::int64_t widest = 16 / static_cast<std::int64_t>(size_of(problem.x.dtype()));
  Schedule s;
  s.width = row % widest == 0 ? widest : 1;
  if (problem.has_short_rows()) {
    s.kernel = Schedule::Kernel::kShortRows;
    s.lanes = lanes_of_row(length / s.width);
    s.blocks = ceil_divide(norms, kRowsInFlight * Schedule::kBlock / s.lanes);
  } else if (problem.inner == 1 && (norms >= 4 * wanted_blocks || length < kGrain)) {
    s.kernel = Schedule::Kernel::kRows;
    s.blocks = ceil_divide(norms, Schedule::kBlock / 32);
  } else if (problem.inner == 1) {
    s.kernel = Schedule::Kernel::kRowPieces;
    s.pieces = std::clamp<std::int64_t>(2 * wanted_blocks / norms, 1, length / kGrain);
    s.blocks = norms * s.pieces;
  } else {
    s.kernel = Schedule::Kernel::kColumns;
    constexpr std::int64_t kWidestTile = 128, kRowsOfThread = 16;
    const std::int64_t loads = problem.inner / s.width;
    s.tile = ceil_divide(loads, ceil_divide(loads, kWidestTile));
    if (loads > kWidestTile) s.tile = ceil_divide(s.tile, 8) * 8;
    const std::int64_t across = ceil_divide(loads, s.tile);
    const std::int64_t grain = kRowsOfThread * (Schedule::kBlock / s.tile);
    s.pieces = std::clamp<std::int64_t>(wanted_blocks / across, 1, ceil_divide(length, grain));
    s.blocks = across * s.pieces;
  }
  while (s.neighbours < 8 && 2 * s.neighbours <= norms) s.neighbours *= 2;
  s.blocks_of_roots = ceil_divide(norms, s.neighbours);
  return s;
}

}  // namespace kernelbatch::workloads::l2norm
