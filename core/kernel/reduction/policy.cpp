#include "core/kernel/reduction/policy.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"

namespace kernelbatch {
namespace {

/// For one thread per block. Tuned on a Xeon with 48 KiB of L1 per core, with sums.
struct SequentialTuning {
  /// Accumulators that fit into the L1 cache together with the data being read: if the text allows
  /// a thread to keep them in an array, and if each is a variable.
  std::int64_t joined_tile = 2048, tile = 64;
  std::size_t long_row = 2048, cache_line = 64;  ///< bytes
  /// Concurrent rows. Several long ones save loads and stores of sums. With shorter rows hardware
  /// prefetching suffers, except for rows that share a cache line.
  int long_rows = 8, rows = 1, rows_of_a_line = 4;
  std::int64_t smallest_split = 64;  ///< elements
};
constexpr SequentialTuning kSequential;

/// True if neighbouring outputs are closer in memory than neighbouring elements of one output.
bool outputs_are_closer(const ReductionLoops& loops, std::span<const Array> inputs) {
  std::size_t widest = 0;
  for (std::size_t k = 1; k < inputs.size(); ++k)
    if (inputs[k].size() > inputs[widest].size()) widest = k;
  if (inputs.empty() || loops.inner.count <= 1) return true;
  const auto last = [](const Strides& strides) { return std::abs(strides[strides.count() - 1]); };
  const std::int64_t outer = last(loops.outer.strides[widest]);
  const std::int64_t inner = last(loops.inner.strides[widest]);
  return loops.outer.count > 1 && outer != 0 && (inner == 0 || outer < inner);
}

Candidate choose_sequential(const ReductionProblem& problem) {
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  choice.smallest_split = problem.device.loop_grain;
  // Independent accumulators provide all parallelism within a core.
  s.streams = problem.device.streams_per_thread;
  if (problem.inputs.empty() || problem.neighbours() <= 1 ||
      !outputs_are_closer(problem.loops, problem.inputs))
    return choice;
  const std::int64_t tiles =
      ceil_divide(problem.neighbours(),
                  problem.freedom.joins_outputs ? kSequential.joined_tile : kSequential.tile);
  s.tile = static_cast<int>(ceil_divide(problem.neighbours(), tiles));
  const std::size_t row = static_cast<std::size_t>(s.tile) * problem.first_item();
  s.in_flight = row >= kSequential.long_row    ? kSequential.long_rows
                : row > kSequential.cache_line ? kSequential.rows
                                               : kSequential.rows_of_a_line;
  choice.smallest_split = std::max(choice.smallest_split / s.tile, kSequential.smallest_split);
  return choice;
}

Candidate choose(const ReductionProblem& problem) {
  if (!problem.device.is_simt()) return choose_sequential(problem);
  // No block runs: columns are divided by their number, rows are not.
  if (problem.outputs() == 0) return choose_rows(problem);
  if (const auto groups = choose_staged_groups(problem)) return *groups;
  // The last axis of such rows may be reduced, too.
  if (const auto folded = choose_folded_columns(problem)) return *folded;
  if (const auto runs = choose_run_columns(problem)) return *runs;
  return outputs_are_closer(problem.loops, problem.inputs) ? choose_columns(problem)
                                                           : choose_rows(problem);
}

/// For outputs along rows that blocks share. Tuned on an H200.
struct SharingTuning {
  double filled = 0.88;  ///< share of the resident blocks that must have a part of an output
  int least_workers = 2;
};
constexpr SharingTuning kSharing;

/// Resident blocks for each group of outputs. Smaller blocks divide more evenly among groups.
std::int64_t blocks_of_group(const ReductionProblem& problem, ReductionSchedule& s) {
  if (!problem.device.is_simt())
    return problem.device.loop_blocks / std::max<std::int64_t>(s.groups, 1);
  const auto held = [&] { return problem.sharing_blocks(s.threads()); };
  const auto each = [&] { return held() / std::max<std::int64_t>(s.groups, 1); };
  const auto is_filled = [&] {
    return static_cast<double>(each() * s.groups) >= kSharing.filled * static_cast<double>(held());
  };
  if (s.pattern == ReductionPattern::kWarp && each() > 1)
    while (s.workers > kSharing.least_workers && !is_filled()) s.workers /= 2;
  return each();
}

/// Splits outputs over blocks if fewer than half of the groups that fit on the device are there.
/// More groups are not split to fill a last wave of blocks: joining the parts takes longer.
void split(const ReductionProblem& problem, const Candidate& choice, ReductionSchedule& s) {
  // The last block has the rows that fill no folded row, too.
  const std::int64_t count = s.pattern == ReductionPattern::kFoldedColumns
                                 ? (problem.count() / s.unit() - (s.is_shifted ? 1 : 0)) * s.unit()
                                 : problem.count();
  s.split_count = std::max<std::int64_t>(count, 1);
  if (s.pattern != ReductionPattern::kBatchedRows && count > choice.smallest_split) {
    // Each block that takes turns has one.
    const bool takes_turns = s.commutes && s.pattern == ReductionPattern::kWarp;
    const std::int64_t most =
        takes_turns ? count / choice.smallest_split : ceil_divide(count, choice.smallest_split);
    const std::int64_t splits =
        std::max<std::int64_t>(std::min(blocks_of_group(problem, s), most), 1);
    s.split_count = ceil_divide(ceil_divide(count, splits), s.unit()) * s.unit();
    s.splits = ceil_divide(count, s.split_count);
  }
  s.blocks = std::clamp<std::int64_t>(
      s.most_blocks(), 1, problem.device.is_simt() ? kMostBlocks : problem.device.loop_blocks);
}

}  // namespace

ReductionSchedule schedule_reduction(const ReductionLoops& loops, std::span<const Array> inputs,
                                     std::span<const Array* const> arrays,
                                     const ReductionFreedom& freedom,
                                     const DeviceProperties& device) {
  const ReductionProblem problem{loops, inputs, arrays, freedom, device};
  const Candidate choice = choose(problem);
  ReductionSchedule s = choice.schedule;
  s.commutes = freedom.commutes;
  const std::int64_t outputs = problem.outputs();
  const auto tiles_of = [&](int tile) {
    return outputs / problem.neighbours() * ceil_divide(problem.neighbours(), tile);
  };
  const bool is_folded = s.pattern == ReductionPattern::kFoldedColumns;
  s.groups = is_folded       ? outputs / s.kept
             : s.columns > 1 ? tiles_of(s.columns)
             : s.tile > 1    ? tiles_of(s.tile)
                             : ceil_divide(outputs, std::int64_t{s.outputs} * s.across);
  split(problem, choice, s);
  return s;
}

}  // namespace kernelbatch
