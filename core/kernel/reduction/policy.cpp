#include "core/kernel/reduction/policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/packs.hpp"

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

/// Tuned on an H200 with sums of 1e3 to 1e8 elements of 4 and 8 bytes.
struct ColumnsTuning {
  int loads = 8, packed_loads = 4;  ///< in flight
  int waves = 2;                    ///< of threads that the device holds at once
  /// With few outputs, a few blocks share each output and the last of them joins the results: use
  /// fewer blocks that are larger by this factor.
  int share_of_few = 2;
  int least_rounds = 2;  ///< of a block that shares an output
};
constexpr ColumnsTuning kColumns;

/// Columns whose rows begin anywhere within a pack.
struct ShiftedTuning {
  int threads = 256;
  int most_across = 8;   ///< sums of a thread
  int least_packs = 4;   ///< of a row of outputs
  int least_rows = 4;    ///< of a worker
  int in_flight = 8;     ///< loads
  int least_rounds = 2;  ///< of a block that shares an output
};
constexpr ShiftedTuning kShifted;

/// Short rows in shared memory.
struct StagedTuning {
  int threads = 128;
  std::int64_t most_row = 512;         ///< bytes of a row of all inputs
  std::int64_t bytes_of_thread = 128;  ///< that one thread reduces
  std::int64_t piece = 8 << 10;        ///< bytes that a block copies at a time, about
  int most_rows = 16;                  ///< of a thread
};
constexpr StagedTuning kStaged;

/// Tuned likewise.
struct LanesTuning {
  int batched_loads = 4;  ///< of one thread, over all its rows
  int batched_waves = 2;
  int many_packs = 8;     ///< per lane: from here on loads hide the latency of each other
  int loads_of_many = 8;  ///< in flight, of single elements in any order
  int some_packs = 4, loads_of_some = 4;
  int least_packs = 4;   ///< of each warp that shares an output
  int least_rounds = 2;  ///< of a block that shares an output
  /// For outputs so few that all their loads are in flight at once: one block of up to
  /// `few_threads` threads per output, with up to `few_packs` packs per thread. A second phase,
  /// with blocks that wait for each other, would take longer.
  int few_threads = 1024, few_packs = 8, few_in_flight = 4;
  int few_rounds = 1;  ///< of a block that shares one of few outputs
  /// Rows that are not aligned are read in packs that begin at aligned elements if there are at
  /// least so many packs per lane, and if packs of all elements have at most so many bytes.
  int shifted_packs = 2;
  std::size_t shifted_bytes = 2;
};
constexpr LanesTuning kRows;

/// A few more groups of outputs than fit on the device would leave it nearly idle during the last
/// ones: prefer several waves of blocks.
constexpr std::int64_t kWaves = 4;
/// Share of the device that the waves of whole groups must use. Several splits of each group,
/// joined by the last, take longer: sums of 2112 rows of 28406 float16 45 µs in place of 34 on an
/// H200.
constexpr double kFullWaves = 0.85;

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

/// Inputs of the choice of a schedule.
struct ReductionProblem {
  const ReductionLoops& loops;
  std::span<const Array> inputs;
  std::span<const Array* const> arrays;
  const ReductionFreedom& freedom;
  const DeviceProperties& device;

  std::int64_t outputs() const noexcept { return loops.outer.count; }
  std::int64_t count() const noexcept { return loops.inner.count; }
  /// Outputs along the last axis of the loop over them.
  std::int64_t neighbours() const noexcept { return loops.outer.extents[loops.outer.rank() - 1]; }
  /// Maximum number of resident threads of the device.
  std::int64_t threads() const noexcept {
    return std::int64_t{device.loop_blocks} * device.loop_block;
  }
};

/// A policy's choice, before outputs are split over blocks.
struct Candidate {
  ReductionSchedule schedule = {};
  std::int64_t smallest_split = 1;  ///< minimum elements per block
  /// Factor by which the policy reduces the number of blocks that are resident.
  int fewer = 1;
};

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
  const std::size_t row = static_cast<std::size_t>(s.tile) * size_of(problem.inputs[0].dtype());
  s.in_flight = row >= kSequential.long_row    ? kSequential.long_rows
                : row > kSequential.cache_line ? kSequential.rows
                                               : kSequential.rows_of_a_line;
  choice.smallest_split = std::max(choice.smallest_split / s.tile, kSequential.smallest_split);
  return choice;
}

Candidate choose_columns(const ReductionProblem& problem) {
  const DeviceProperties& device = problem.device;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kColumns;
  if (problem.freedom.joins_outputs)
    s.across = across_width(problem.loops, problem.inputs.size(), problem.arrays, device);
  s.in_flight = std::min(s.across > 1 ? kColumns.packed_loads : kColumns.loads,
                         power_of_two(problem.count(), kColumns.loads));
  const std::int64_t units = problem.outputs() / s.across;
  const int share = units < device.loop_lanes ? kColumns.share_of_few : 1;
  choice.fewer = share * share;
  const int whole = share * device.loop_block;
  // Enough workers to keep the device busy, but none without elements.
  const int most = whole / power_of_two(units, device.loop_lanes);
  const std::int64_t wanted =
      ceil_divide(kColumns.waves * problem.threads(), std::max<std::int64_t>(units, 1));
  s.workers = std::min(power_of_two(wanted, most),
                       power_of_two(ceil_divide(problem.count(), s.in_flight), most));
  s.outputs = std::min(whole / s.workers, power_of_two(units, whole));
  choice.smallest_split = std::int64_t{s.workers} * s.in_flight * kColumns.least_rounds;
  return choice;
}

/// Rows after which they begin at the same place within a pack again.
std::int64_t period_of(const ReductionProblem& problem, int pack) {
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const Strides& outer = problem.loops.outer.strides[k];
    if (outer[outer.count() - 1] == 0) continue;
    const auto item = static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    return pack / std::gcd(std::int64_t{pack}, problem.loops.inner.strides[k][0] / item);
  }
  return 1;
}

/// Aligned packs of columns if loads of neighbouring outputs are not aligned, and there are so many
/// outputs that blocks need not share them; nothing otherwise.
std::optional<Candidate> choose_shifted_columns(const ReductionProblem& problem) {
  if (!problem.freedom.commutes || !problem.freedom.joins_outputs) return std::nullopt;
  const int pack =
      std::min(shifted_width(problem.loops, problem.inputs, PackAxis::kOuter, problem.device),
               kShifted.most_across);
  const std::int64_t length = problem.neighbours(), period = period_of(problem, pack);
  if (pack <= across_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device) ||
      length < std::int64_t{kShifted.least_packs} * pack ||
      problem.count() < kShifted.least_rows * period)
    return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kShiftedColumns;
  s.across = pack;
  // The block's last pack of each row has only outputs of other blocks, or parts of its own.
  const std::int64_t most = kShifted.threads / period;
  const std::int64_t tiles = ceil_divide(length, (most - 1) * pack);
  if (problem.outputs() / length * tiles < problem.device.loop_blocks / 2) return std::nullopt;
  s.outputs = static_cast<int>(ceil_divide(ceil_divide(length, tiles), pack) + 1);
  s.columns = (s.outputs - 1) * pack;
  const std::int64_t fit = kShifted.threads / (s.outputs * period);
  s.workers = static_cast<int>(
      period * std::clamp<std::int64_t>(problem.count() / (period * kShifted.least_rows), 1, fit));
  s.in_flight = power_of_two(problem.count() / s.workers, kShifted.in_flight);
  choice.smallest_split = std::int64_t{s.workers} * s.in_flight * kShifted.least_rounds;
  return choice;
}

/// Packs of a row, and its lanes: common to all patterns along rows.
struct Row {
  int pack, lanes;
  std::int64_t packs;
  bool is_shifted = false;
};

Row row_of(const ReductionProblem& problem) {
  const int pack = pack_width(problem.loops, problem.inputs, problem.device);
  const std::int64_t packs = ceil_divide(problem.count(), pack);
  return {pack, power_of_two(packs, problem.device.loop_lanes), packs};
}

/// The same row in wider packs, if its own are narrower because rows are not aligned.
Row widened(const ReductionProblem& problem, const Row& row) {
  const int warp = problem.device.loop_lanes;
  const int pack = shifted_width(problem.loops, problem.inputs, PackAxis::kInner, problem.device);
  const std::int64_t packs = problem.count() / pack;
  const std::size_t bytes = static_cast<std::size_t>(row.pack) * size_of(problem.inputs[0].dtype());
  if (!problem.freedom.commutes || pack <= row.pack || bytes > kRows.shifted_bytes ||
      packs < std::int64_t{kRows.shifted_packs} * warp)
    return row;
  return {pack, warp, packs, true};
}

/// For short and numerous rows without gaps whose packs are narrow: a block copies whole rows to
/// shared memory as one piece; nothing otherwise.
std::optional<Candidate> choose_staged_rows(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  const ReductionLoops& loops = problem.loops;
  if (loops.inner.rank() != 1 || loops.outer.rank() != 1 || problem.inputs.empty() ||
      problem.arrays[problem.inputs.size()] == nullptr || problem.count() < 2)
    return std::nullopt;
  std::int64_t bytes = 0, smallest = device.vector_bytes;  // of one element of all inputs
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    if (loops.inner.strides[k][0] != item || loops.outer.strides[k][0] != problem.count() * item ||
        reinterpret_cast<std::uintptr_t>(problem.inputs[k].data()) %
                static_cast<std::size_t>(device.vector_bytes) !=
            0)
      return std::nullopt;
    bytes += item;
    smallest = std::min(smallest, item);
  }
  const std::int64_t row_bytes = problem.count() * bytes;
  if (row.pack * smallest >= device.vector_bytes || row_bytes > kStaged.most_row)
    return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kStagedRows;
  s.pack = row.pack;
  s.lanes = power_of_two(ceil_divide(row_bytes, kStaged.bytes_of_thread), device.loop_lanes);
  s.outputs = kStaged.threads / s.lanes;
  s.rows = power_of_two(kStaged.piece / (s.outputs * row_bytes) + 1, kStaged.most_rows);
  choice.smallest_split = problem.count();
  if (problem.outputs() < 2 * std::int64_t{s.outputs} * s.rows * device.compute_units)
    return std::nullopt;
  return choice;
}

/// For rows so short and numerous that lanes process whole rows, several at once; nothing
/// otherwise.
std::optional<Candidate> choose_batched_rows(const ReductionProblem& problem, const Row& row) {
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kBatchedRows;
  s.pack = row.pack;
  s.lanes = row.lanes;
  const std::int64_t loads = ceil_divide(row.packs, s.lanes);
  if (problem.count() == 0 || loads > kRows.batched_loads ||
      problem.outputs() * s.lanes < kRows.batched_waves * problem.threads())
    return std::nullopt;
  s.in_flight = static_cast<int>(loads);
  s.rows = std::max(1, kRows.batched_loads / s.in_flight);
  s.outputs = std::max(1, problem.device.loop_block / s.lanes);
  return choice;
}

/// For outputs so few that each may have its own block, and the time is that of one block.
std::optional<Candidate> choose_block(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  const std::int64_t threads = std::min(kRows.few_threads, device.max_threads_per_block);
  if (!problem.freedom.commutes || row.lanes < device.loop_lanes ||
      problem.outputs() > device.compute_units || row.packs > threads * kRows.few_packs)
    return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kWarp;
  s.pack = row.pack;
  s.lanes = row.lanes;
  s.is_shifted = row.is_shifted;
  s.workers =
      power_of_two(ceil_divide(row.packs, s.lanes), static_cast<int>(threads / device.loop_lanes));
  s.in_flight =
      power_of_two(ceil_divide(row.packs, std::int64_t{s.lanes} * s.workers), kRows.few_packs);
  choice.smallest_split = problem.count();
  return choice;
}

Candidate choose_warp(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kWarp;
  s.pack = row.pack;
  s.lanes = row.lanes;
  s.is_shifted = row.is_shifted;
  const bool has_many = row.packs >= std::int64_t{kRows.many_packs} * s.lanes;
  if (has_many && s.pack == 1 && problem.freedom.commutes)
    s.in_flight = kRows.loads_of_many;
  else if (row.packs >= std::int64_t{kRows.some_packs} * s.lanes)
    s.in_flight = kRows.loads_of_some;
  // Several warps per output only if there are too few outputs to give each warp one.
  if (s.lanes == device.loop_lanes && has_many) {
    const std::int64_t warps = problem.threads() / device.loop_lanes;
    s.workers = power_of_two(std::min(warps / std::max<std::int64_t>(problem.outputs(), 1),
                                      row.packs / (std::int64_t{kRows.least_packs} * s.lanes)),
                             device.loop_block / device.loop_lanes);
  }
  s.outputs = std::max(1, device.loop_block / (s.lanes * s.workers));
  const int rounds =
      problem.outputs() < device.compute_units / 4 ? kRows.few_rounds : kRows.least_rounds;
  choice.smallest_split = std::int64_t{s.lanes} * s.pack * s.workers * s.in_flight * rounds;
  return choice;
}

Candidate choose(const ReductionProblem& problem) {
  if (!problem.device.is_simt()) return choose_sequential(problem);
  if (outputs_are_closer(problem.loops, problem.inputs)) {
    if (const auto shifted = choose_shifted_columns(problem)) return *shifted;
    return choose_columns(problem);
  }
  Row row = row_of(problem);
  if (const auto staged = choose_staged_rows(problem, row)) return *staged;
  if (const auto batched = choose_batched_rows(problem, row)) return *batched;
  row = widened(problem, row);
  if (const auto block = choose_block(problem, row)) return *block;
  return choose_warp(problem, row);
}

/// Splits outputs over blocks if there are fewer groups than fit on the device.
void split(const ReductionProblem& problem, const Candidate& choice, ReductionSchedule& s) {
  const bool is_simt = problem.device.is_simt();
  const std::int64_t count = problem.count();
  s.split_count = std::max<std::int64_t>(count, 1);
  const std::int64_t held = problem.device.loop_blocks / choice.fewer;
  const double waves = static_cast<double>(s.groups) / static_cast<double>(held);
  const bool is_uneven =
      is_simt && waves > 1.0 / kWaves && waves < kWaves && waves < kFullWaves * std::ceil(waves);
  const std::int64_t wanted =
      is_uneven ? ceil_divide(kWaves * held, s.groups) : held / std::max<std::int64_t>(s.groups, 1);
  if (s.pattern != ReductionPattern::kBatchedRows && wanted > 1 && count > choice.smallest_split) {
    const std::int64_t splits = std::min(wanted, ceil_divide(count, choice.smallest_split));
    s.split_count = ceil_divide(ceil_divide(count, splits), s.unit()) * s.unit();
    s.splits = ceil_divide(count, s.split_count);
  }
  s.blocks = std::clamp<std::int64_t>(ceil_divide(s.groups, s.rows) * s.splits, 1,
                                      is_simt ? kMostBlocks : problem.device.loop_blocks);
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
  s.groups = s.pattern == ReductionPattern::kShiftedColumns ? tiles_of(s.columns)
             : s.tile > 1                                   ? tiles_of(s.tile)
                          : ceil_divide(outputs, std::int64_t{s.outputs} * s.across);
  split(problem, choice, s);
  return s;
}

}  // namespace kernelbatch
