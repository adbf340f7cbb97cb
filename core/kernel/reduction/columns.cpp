#include <algorithm>
#include <numeric>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/columns_row.hpp"
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
  int least_rounds = 2;         ///< of a block that shares an output
  std::int64_t short_row = 64;  ///< bytes of a row of outputs, at most, whose rows are one piece
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

/// Columns so few that several rows, which together are whole packs, are processed as one. Tuned on
/// an H200.
struct FoldedTuning {
  int most_across = 8;  ///< sums of a thread
  int most_packs = 512, most_columns = 512;
  int most_with_runs = 1024;      ///< columns of rows whose last axis is reduced
  std::int64_t short_run = 32;    ///< bytes of such an axis whose packs are no packs of its own
  int few_columns = 16;           ///< up to these, smaller blocks with more loads
  std::size_t shared = 40 << 10;  ///< bytes, for the sums of a block
  int least_rounds = 2;           ///< of a block that shares an output
  struct {
    int threads, in_flight;
  } few = {256, 8}, many = {512, 4};
  /// With outputs for all blocks: threads of a block, packs of a thread, and packs of a block.
  int least_threads = 64, least_packs = 4, least_packs_of_block = 128;
};
constexpr FoldedTuning kFolded;

/// Neighbouring outputs of a thread that reads the aligned packs around their elements; 0 if it
/// reads packs of its own, which are no smaller, or single elements.
int covered_across(const ReductionProblem& problem, int own) {
  for (const Array& input : problem.inputs)
    if (size_of(input.dtype()) > kColumns.covered_item) return 0;
  const int covered =
      covered_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device);
  return covered > own ? covered : 0;
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
  s.in_flight = static_cast<int>(std::clamp<std::int64_t>(
      problem.count(), 1, s.across > 1 ? kColumns.packed_loads : kColumns.loads));
  const std::int64_t units = ceil_divide(problem.outputs(), s.across);
  const int share = units < device.loop_lanes ? kColumns.share_of_few : 1;
  const int whole = share * device.loop_block;
  // Enough workers to keep the device busy, but none without elements.
  const std::int64_t near = packs_of_short_row(problem, s);
  const int most = whole / power_of_two(near > 0 ? near : units, device.loop_lanes);
  const std::int64_t all = kColumns.waves * problem.threads();
  // Packs around the elements take more registers: one wave, not two.
  const std::int64_t wanted = near > 0   ? most
                              : s.covers ? std::max<std::int64_t>(problem.threads() / units, 1)
                                         : ceil_divide(all, std::max<std::int64_t>(units, 1));
  s.workers = std::min(power_of_two(wanted, most),
                       power_of_two(ceil_divide(problem.count(), s.in_flight), most));
  s.outputs = std::min(whole / s.workers, power_of_two(units, whole));
  const double waves = static_cast<double>(ceil_divide(units, s.outputs) * s.threads()) /
                       static_cast<double>(problem.threads());
  if (s.workers > 1 && waves > 1 && waves <= kColumns.uneven_waves) s.workers /= 2;
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
  const auto item = static_cast<std::int64_t>(size_of(problem.inputs[0].dtype()));
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

/// Rows that are processed as one, of which each index of the outputs' first axes has its own.
struct FoldedRows {
  ColumnsRow row;
  int pack = 1;  ///< neighbouring elements of a thread
  bool is_shifted = false;
  std::int64_t fold = 1, packs = 1;  ///< rows and packs of a folded row
  std::int64_t count = 0;            ///< whole folded rows of a group of outputs
  std::int64_t groups = 1;

  std::int64_t elements_of_output() const noexcept { return row.length / row.outputs; }
};

/// Nothing if packs of outputs are as wide, or a row is too long.
std::optional<FoldedRows> folded_rows(const ReductionProblem& problem) {
  if (!problem.freedom.commutes || !problem.freedom.joins_outputs || problem.inputs.empty() ||
      problem.arrays[problem.inputs.size()] == nullptr)
    return std::nullopt;
  const std::optional<ColumnsRow> row = columns_row(problem.loops, problem.inputs);
  if (!row || row->outputs < 2) return std::nullopt;
  const bool has_runs = !row->ends_with_outputs();
  if (row->length > (has_runs ? kFolded.most_with_runs : kFolded.most_columns)) return std::nullopt;
  const FoldedPacks packs =
      folded_packs(problem.loops, problem.inputs, row->group_axes, problem.device);
  FoldedRows folded{.row = *row,
                    .pack = std::min(packs.width, kFolded.most_across),
                    .is_shifted = packs.is_shifted,
                    .groups = problem.outputs() / row->outputs};
  // Packs along the outputs, or along the last axis if that is reduced.
  const int across =
      across_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device);
  const int along = pack_width(problem.loops, problem.inputs, problem.device);
  const auto item = static_cast<std::int64_t>(size_of(problem.inputs[0].dtype()));
  const bool is_short = has_runs && row->axes.back().extent * item < kFolded.short_run;
  const int own = is_short ? across : std::max(across, along);
  const bool has_axes = folded.groups > 1 || has_runs;
  if (folded.pack <= own || (has_axes && own * item >= kShifted.own_bytes)) return std::nullopt;
  folded.fold = folded.pack / std::gcd(std::int64_t{folded.pack}, row->length);
  folded.packs = row->length * folded.fold / folded.pack;
  folded.count = problem.count() / (folded.elements_of_output() * folded.fold);
  if (folded.packs > kFolded.most_packs) return std::nullopt;
  return folded;
}

/// Workers of a block that has all folded rows of a group, with the fewest idle threads.
std::int64_t even_workers(const FoldedRows& folded, std::int64_t most, int warp) {
  std::int64_t best = 1, fewest = 0;
  for (std::int64_t workers = ceil_divide(kFolded.least_threads, folded.packs); workers <= most;
       ++workers) {
    const std::int64_t each = ceil_divide(folded.count, workers);
    if (each < kFolded.least_packs && fewest > 0) break;
    const std::int64_t used = ceil_divide(folded.count, each);
    const std::int64_t packs = ceil_divide(used * folded.packs, warp) * each;
    if (fewest > 0 && packs >= fewest) continue;
    best = used;
    fewest = packs;
  }
  return best;
}

}  // namespace

std::optional<Candidate> choose_folded_columns(const ReductionProblem& problem) {
  const std::optional<FoldedRows> folded = folded_rows(problem);
  if (!folded) return std::nullopt;
  const auto& tuning = folded->row.length <= kFolded.few_columns ? kFolded.few : kFolded.many;
  const auto fit = static_cast<std::int64_t>(
      kFolded.shared / (problem.freedom.bytes * static_cast<std::size_t>(folded->pack)));
  std::int64_t workers =
      std::max<std::int64_t>(1, std::min<std::int64_t>(tuning.threads, fit) / folded->packs);
  int in_flight = tuning.in_flight;
  if (folded->groups >= problem.sharing_blocks(tuning.threads) && folded->count > 0) {
    workers = even_workers(*folded, workers, problem.device.loop_lanes);
    const std::int64_t each = ceil_divide(folded->count, workers);
    in_flight = static_cast<int>(ceil_divide(each, ceil_divide(each, in_flight)));
  }
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kFoldedColumns;
  s.across = folded->pack;
  s.is_shifted = folded->is_shifted;
  s.fold = static_cast<int>(folded->fold);
  s.columns = static_cast<int>(folded->row.length);
  s.kept = static_cast<int>(folded->row.outputs);
  s.outputs = static_cast<int>(folded->packs);
  s.workers = static_cast<int>(workers);
  s.in_flight = in_flight;
  const std::int64_t least_rows = folded->fold * s.workers * s.in_flight * kFolded.least_rounds;
  choice.smallest_split = folded->elements_of_output() * least_rows;
  const bool has_few = folded->groups == 1
                           ? problem.count() < choice.smallest_split
                           : folded->count < 2 * workers ||
                                 folded->count * folded->packs < kFolded.least_packs_of_block;
  if (s.threads() < s.kept || has_few) return std::nullopt;
  return choice;
}

Candidate choose_columns(const ReductionProblem& problem) {
  if (const auto shifted = choose_shifted_columns(problem)) return *shifted;
  return choose_aligned_columns(problem);
}

}  // namespace kernelbatch
