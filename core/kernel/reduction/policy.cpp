#include "core/kernel/reduction/policy.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "core/kernel/loop/counts.hpp"

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
};
constexpr LanesTuning kRows;

/// A few more groups of outputs than fit on the device would leave it nearly idle during the last
/// ones: prefer several waves of blocks.
constexpr std::int64_t kWaves = 4;

/// The widest pack, at most `pack`, of elements of `item` bytes whose size divides the offset.
int aligned_pack(int pack, std::int64_t item, std::int64_t offset) {
  while (pack > 1 && offset % (item * pack) != 0) pack /= 2;
  return pack;
}
int aligned_pack(int pack, std::int64_t item, const Strides& strides, int but_axis) {
  for (int axis = 0; axis < strides.count(); ++axis)
    if (axis != but_axis) pack = aligned_pack(pack, item, strides[axis]);
  return pack;
}

/// Neighbouring elements that one aligned load of every input covers along the last inner axis; 1
/// if an input has gaps there or is not aligned.
int pack_width(const ReductionLoops& loops, std::span<const Array> inputs,
               const DeviceProperties& device) {
  if (inputs.empty() || device.vector_bytes == 0) return 1;
  std::size_t largest = 1;
  for (const Array& input : inputs) largest = std::max(largest, size_of(input.dtype()));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loops.inner.rank() - 1;
  while (pack > 1 && (last > 0 ? loops.inner.extents[last] % pack != 0 : loops.inner.count < pack))
    pack /= 2;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(inputs[k].dtype()));
    const std::int64_t stride = loops.inner.strides[k][last];
    if (stride == 0) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(inputs[k].data()));
    pack = aligned_pack(pack, item, loops.inner.strides[k], last);
    pack = aligned_pack(pack, item, loops.outer.strides[k], -1);
  }
  return pack;
}

/// Neighbouring outputs whose elements one aligned load of every input covers; 1 if an array has
/// gaps there or is not aligned.
int across_width(const ReductionLoops& loops, std::size_t inputs,
                 std::span<const Array* const> arrays, const DeviceProperties& device) {
  if (inputs == 0 || device.vector_bytes == 0) return 1;
  std::size_t largest = 1;
  for (const Array* array : arrays)
    if (array != nullptr) largest = std::max(largest, size_of(array->dtype()));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loops.outer.rank() - 1;
  while (pack > 1 && loops.outer.extents[last] % pack != 0) pack /= 2;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k] == nullptr) return 1;
    const auto item = static_cast<std::int64_t>(size_of(arrays[k]->dtype()));
    const std::int64_t stride = loops.outer.strides[k][last];
    if (stride == 0 && k < inputs) continue;
    if (stride != item) return 1;
    pack = aligned_pack(pack, item, reinterpret_cast<std::int64_t>(arrays[k]->data()));
    pack = aligned_pack(pack, item, loops.outer.strides[k], last);
    if (k < inputs) pack = aligned_pack(pack, item, loops.inner.strides[k], -1);
  }
  return pack;
}

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
  int share = 1;                    ///< factor by which blocks are larger and fewer
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
  if (units < device.loop_lanes) choice.share = kColumns.share_of_few;
  const int whole = choice.share * device.loop_block;
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

/// Packs of a row, and its lanes: common to all patterns along rows.
struct Row {
  int pack, lanes;
  std::int64_t packs;
};

Row row_of(const ReductionProblem& problem) {
  const int pack = pack_width(problem.loops, problem.inputs, problem.device);
  const std::int64_t packs = ceil_divide(problem.count(), pack);
  return {pack, power_of_two(packs, problem.device.loop_lanes), packs};
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
  if (outputs_are_closer(problem.loops, problem.inputs)) return choose_columns(problem);
  const Row row = row_of(problem);
  if (const auto batched = choose_batched_rows(problem, row)) return *batched;
  if (const auto block = choose_block(problem, row)) return *block;
  return choose_warp(problem, row);
}

/// Splits outputs over blocks if there are fewer groups than fit on the device.
void split(const ReductionProblem& problem, const Candidate& choice, ReductionSchedule& s) {
  const bool is_simt = problem.device.is_simt();
  const std::int64_t count = problem.count();
  const std::int64_t unit = std::int64_t{s.lanes} * s.pack;
  s.split_count = std::max<std::int64_t>(count, 1);
  const std::int64_t held = problem.device.loop_blocks / (choice.share * choice.share);
  const bool is_uneven = is_simt && s.groups > held / kWaves && s.groups < kWaves * held;
  const std::int64_t wanted =
      is_uneven ? ceil_divide(kWaves * held, s.groups) : held / std::max<std::int64_t>(s.groups, 1);
  if (s.pattern != ReductionPattern::kBatchedRows && wanted > 1 && count > choice.smallest_split) {
    const std::int64_t splits = std::min(wanted, ceil_divide(count, choice.smallest_split));
    s.split_count = ceil_divide(ceil_divide(count, splits), unit) * unit;
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
  s.groups = s.tile > 1 ? outputs / problem.neighbours() * ceil_divide(problem.neighbours(), s.tile)
                        : ceil_divide(outputs, std::int64_t{s.outputs} * s.across);
  split(problem, choice, s);
  return s;
}

}  // namespace kernelbatch
