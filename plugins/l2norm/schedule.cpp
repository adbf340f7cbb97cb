#include "plugins/l2norm/schedule.hpp"

#include <algorithm>

#include "core/workload/launch.hpp"

namespace kernelbatch::workloads::l2norm {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Schedule::Kernel kernel_of_rows(const L2Norm& problem, std::int64_t wanted_blocks,
                                std::int64_t grain) {
  using Kernel = Schedule::Kernel;
  if (problem.has_short_rows()) return Kernel::kShortRows;
  const bool are_many = problem.outer >= 4 * wanted_blocks || problem.length < grain;
  return are_many ? Kernel::kRows : Kernel::kRowPieces;
}

}  // namespace

Schedule schedule(const L2Norm& problem, int compute_units, const Choices& choices) {
  using Kernel = Schedule::Kernel;
  // 4 KB in flight in each of a few blocks per unit keep memory busy; some more blocks balance
  // their different finishing times.
  const std::int64_t wanted_blocks = choices.blocks_per_unit * compute_units;
  constexpr std::int64_t kRowsInFlight = 4, kGrain = 8192;
  const std::int64_t norms = problem.outer * problem.inner, length = problem.length;
  const std::int64_t row = problem.inner == 1 ? length : problem.inner;
  const std::int64_t widest = choices.width > 0
                                  ? choices.width
                                  : 16 / static_cast<std::int64_t>(size_of(problem.x.dtype()));
  Schedule s;
  s.width = row % widest == 0 ? widest : 1;
  s.kernel = problem.inner > 1
                 ? Kernel::kColumns
                 : choices.of_rows.value_or(kernel_of_rows(problem, wanted_blocks, kGrain));
  if (s.kernel == Kernel::kShortRows) {
    s.lanes = choices.lanes > 0 ? choices.lanes : lanes_of_row(length / s.width);
    s.blocks = ceil_divide(norms, kRowsInFlight * (choices.block / s.lanes));
  } else if (s.kernel == Kernel::kRows) {
    s.blocks = ceil_divide(norms, choices.block / 32);
  } else if (s.kernel == Kernel::kRowPieces) {
    s.pieces = std::clamp<std::int64_t>(2 * wanted_blocks / norms, 1,
                                        std::max<std::int64_t>(length / kGrain, 1));
    s.blocks = norms * s.pieces;
  } else {
    constexpr std::int64_t kWidestTile = 128, kRowsOfThread = 16;
    const std::int64_t loads = problem.inner / s.width;
    const std::int64_t most =
        std::min(choices.tile > 0 ? choices.tile : kWidestTile, choices.block);
    s.tile = ceil_divide(loads, ceil_divide(loads, most));
    if (loads > most) s.tile = std::min(ceil_divide(s.tile, 8) * 8, most);
    const std::int64_t across = ceil_divide(loads, s.tile);
    const std::int64_t grain = kRowsOfThread * (choices.block / s.tile);
    s.pieces = std::clamp<std::int64_t>(wanted_blocks / across, 1, ceil_divide(length, grain));
    s.blocks = across * s.pieces;
  }
  while (s.neighbours < 8 && 2 * s.neighbours <= norms) s.neighbours *= 2;
  s.blocks_of_roots = ceil_divide(norms, s.neighbours);
  return s;
}

}  // namespace kernelbatch::workloads::l2norm
