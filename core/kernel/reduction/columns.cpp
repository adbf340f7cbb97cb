#include <algorithm>
#include <numeric>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/packs.hpp"

namespace kernelbatch {
namespace {

/// Tuned on an H200 with sums of 1e3 to 1e8 elements of 4 and 8 bytes.
struct ColumnsTuning {
  int loads = 8, packed_loads = 4;  ///< in flight
  /// Largest element, in bytes, of inputs that are read by aligned packs around their own. Loads of
  /// single larger elements are as fast.
  std::size_t covered_item = 2;
  int waves = 2;  ///< of threads that the device holds at once
  /// With few outputs, blocks share each output and the last of them joins the results: use fewer
  /// blocks that are larger by this factor.
  int share_of_few = 2;
  /// Waves of blocks up to which, and above one, smaller blocks that all run at once are better:
  /// the last wave has few blocks, and the whole takes as long as two.
  double uneven_waves = 1.4;
  /// Single elements of 4 bytes: a block has this many outputs if blocks of the usual number of
  /// threads then are at least this share of the resident ones, and half as many threads above
  /// another share.
  int wide_outputs = 64;
  double least_wide = 0.4, most_wide = 0.75;
  int least_rounds = 2;         ///< of a block that shares an output
  std::int64_t short_row = 64;  ///< bytes of a row of outputs, at most, whose rows are one piece
  /// The same if these are all: with the usual registers, and with those for half of the threads.
  int most_packed_loads = 7, most_at_once = 16;
  /// Largest element, in bytes, of which aligned packs are read by one wave of threads.
  std::size_t one_wave_item = 4;
  /// Elements of an output, at most, of which a thread reads all at once, and up to which it has
  /// several outputs; of narrow elements twice as many.
  int some_elements = 16, few_elements = 3, outputs_of_few = 2;
  std::size_t narrow_item = 2;  ///< bytes
  /// Share of the resident threads up to which they have registers for all loads of packs around
  /// elements: if workers join, and if not. Least share that is left of twice as many workers.
  double fit_with_workers = 0.625, fit = 0.75, least_share = 0.4;
};
constexpr ColumnsTuning kColumns;

/// Columns whose rows begin anywhere within a pack. Tuned on an H200.
struct ShiftedTuning {
  int threads = 256;
  int most_across = 8;   ///< sums of a thread
  int own_bytes = 8;     ///< of packs of its own, from which a thread needs no others
  int least_packs = 4;   ///< of a row of outputs
  int least_rows = 4;    ///< of a worker
  int in_flight = 8;     ///< loads
  int least_rounds = 2;  ///< of a block that shares an output
};
constexpr ShiftedTuning kShifted;

/// Few elements of each output, which are read one by one: a thread has several outputs. Nothing
/// for others.
std::optional<Candidate> choose_few_elements(const ReductionProblem& problem,
                                             const ReductionSchedule& columns) {
  const std::int64_t count = problem.count();
  if (columns.across > 1 || problem.inputs.empty() || count < 1 || count > kColumns.some_elements)
    return std::nullopt;
  const bool is_narrow = problem.first_item() <= kColumns.narrow_item;
  const int rows =
      (count <= kColumns.few_elements ? kColumns.outputs_of_few : 1) * (is_narrow ? 2 : 1);
  if (problem.outputs() < kColumns.waves * rows * problem.threads()) return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kBatchedRows;
  s.in_flight = static_cast<int>(count);
  s.rows = rows;
  s.outputs = problem.device.loop_block;
  return choice;
}

/// A thread without others reads all packs of its column at once if they are few.
void choose_loads(ReductionSchedule& s, const ReductionProblem& problem) {
  const std::int64_t count = std::max<std::int64_t>(problem.count(), 1);
  const auto inputs = static_cast<std::int64_t>(problem.inputs.size());
  const bool is_few = count <= kColumns.most_packed_loads;
  if (!is_few && count * inputs > kColumns.most_at_once) return;
  s.in_flight = static_cast<int>(count);
  s.has_registers = s.has_registers || !is_few;
}

/// Registers for the loads of packs around the elements if the blocks still run all at once. The
/// compiler uses no more than 32 otherwise, and loads a few at a time.
void give_registers(ReductionSchedule& s, const ReductionProblem& problem, std::int64_t units) {
  const auto share_of = [&](int workers) {
    const std::int64_t outputs = s.threads() / workers;
    return static_cast<double>(ceil_divide(units, outputs) * s.threads()) /
           static_cast<double>(problem.threads());
  };
  const auto fits = [&](int workers) {
    return share_of(workers) <= (workers > 1 ? kColumns.fit_with_workers : kColumns.fit);
  };
  const int half = s.workers / 2;
  if (half > 1 && !fits(s.workers) && fits(half) && share_of(half) >= kColumns.least_share) {
    s.outputs *= 2;
    s.workers = half;
  }
  s.has_registers = s.covers && fits(s.workers);
}

/// Packs of a row of outputs if rows are short and follow each other in memory, so that a warp
/// reads many of one group, and there are enough for all threads of a block; 0 otherwise.
std::int64_t packs_of_short_row(const ReductionProblem& problem, const ReductionSchedule& s) {
  const std::int64_t length = problem.neighbours(), packs = ceil_divide(length, s.across);
  const std::int64_t rows = problem.device.loop_block / packs;  // of a block
  if (problem.outputs() == length || problem.count() < kColumns.least_rounds * s.in_flight * rows)
    return 0;
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const Strides& inner = problem.loops.inner.strides[k];
    const std::int64_t row = length * static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    if (row > kColumns.short_row || inner[inner.count() - 1] != row) return 0;
  }
  return packs;
}

/// Longer pieces of rows for single elements of 4 bytes, by workers that are fewer.
void widen(ReductionSchedule& s, const ReductionProblem& problem) {
  const int block = problem.device.loop_block;
  const std::int64_t threads = ceil_divide(problem.outputs(), kColumns.wide_outputs) * block;
  const double share = static_cast<double>(threads) / static_cast<double>(problem.threads());
  if (s.across > 1 || s.workers == 1 || s.outputs >= kColumns.wide_outputs ||
      problem.loops.outer.rank() > 1 || problem.first_item() != 4 || share < kColumns.least_wide)
    return;
  s.outputs = kColumns.wide_outputs;
  s.workers = block / kColumns.wide_outputs / (share > kColumns.most_wide ? 2 : 1);
}

/// Threads of one wave suffice, not two: packs around the elements take more registers, and packs
/// of small elements have more elements. Not if the last wave had few blocks.
bool is_one_wave(const ReductionSchedule& s, const ReductionProblem& problem, std::int64_t units) {
  if (s.covers) return true;
  const double waves = static_cast<double>(units) / static_cast<double>(problem.threads());
  return s.across > 1 && problem.first_item() <= kColumns.one_wave_item && units > 0 &&
         (waves <= 1 || waves > kColumns.uneven_waves);
}

Candidate choose_aligned_columns(const ReductionProblem& problem) {
  const DeviceProperties& device = problem.device;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kColumns;
  if (problem.freedom.joins_outputs) {
    s.across = across_width(problem.loops, problem.inputs.size(), problem.arrays, device);
    const int covered = covered_across(problem, s.across);
    s.covers = covered > 0;
    if (s.covers) s.across = covered;
  }
  if (const auto few = choose_few_elements(problem, s)) return *few;
  s.in_flight = static_cast<int>(std::clamp<std::int64_t>(
      problem.count(), 1, s.across > 1 ? kColumns.packed_loads : kColumns.loads));
  const std::int64_t units = ceil_divide(problem.outputs(), s.across);
  const int share = units < device.loop_lanes ? kColumns.share_of_few : 1;
  const int whole = share * device.loop_block;
  // Enough workers to keep the device busy, but none without elements.
  const std::int64_t near = packs_of_short_row(problem, s);
  const int most = whole / power_of_two(near > 0 ? near : units, device.loop_lanes);
  const std::int64_t all = kColumns.waves * problem.threads();
  const std::int64_t wanted = near > 0 ? most
                              : is_one_wave(s, problem, units)
                                  ? std::max<std::int64_t>(problem.threads() / units, 1)
                                  : ceil_divide(all, std::max<std::int64_t>(units, 1));
  s.workers = std::min(power_of_two(wanted, most),
                       power_of_two(ceil_divide(problem.count(), s.in_flight), most));
  s.outputs = std::min(whole / s.workers, power_of_two(units, whole));
  const double waves = static_cast<double>(ceil_divide(units, s.outputs) * s.threads()) /
                       static_cast<double>(problem.threads());
  if (s.workers > 1 && waves > 1 && waves <= kColumns.uneven_waves) s.workers /= 2;
  if (near == 0) widen(s, problem);
  if (s.covers) give_registers(s, problem, units);
  if (s.across > 1 && s.workers == 1) choose_loads(s, problem);
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

/// Aligned packs of columns if loads of neighbouring outputs are not aligned and the outputs
/// suffice for all blocks without sharing; nothing otherwise.
std::optional<Candidate> choose_shifted_columns(const ReductionProblem& problem) {
  if (!problem.freedom.commutes || !problem.freedom.joins_outputs) return std::nullopt;
  const int pack =
      std::min(shifted_width(problem.loops, problem.inputs, PackAxis::kOuter, problem.device),
               kShifted.most_across);
  const std::int64_t length = problem.neighbours(), period = period_of(problem, pack);
  const int own =
      across_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device);
  const auto item = static_cast<std::int64_t>(problem.first_item());
  // Packs around the elements have no shifts, which the rows of a block must share.
  if (own * item >= kShifted.own_bytes || pack <= own || covered_across(problem, own) > 0 ||
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

}  // namespace

int covered_across(const ReductionProblem& problem, int own) {
  for (const Array& input : problem.inputs)
    if (size_of(input.dtype()) > kColumns.covered_item) return 0;
  const int covered =
      covered_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device);
  return covered > own ? covered : 0;
}

Candidate choose_columns(const ReductionProblem& problem) {
  if (const auto shifted = choose_shifted_columns(problem)) return *shifted;
  return choose_aligned_columns(problem);
}

}  // namespace kernelbatch
