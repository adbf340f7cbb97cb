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
  int waves = 2;                    ///< of threads that the device holds at once
  /// With few outputs, a few blocks share each output and the last of them joins the results: use
  /// fewer blocks that are larger by this factor.
  int share_of_few = 2;
  int least_rounds = 2;  ///< of a block that shares an output
};
constexpr ColumnsTuning kColumns;

/// Columns whose rows begin anywhere within a pack. Tuned on an H200.
struct ShiftedTuning {
  int threads = 256;
  int most_across = 8;   ///< sums of a thread
  int least_packs = 4;   ///< of a row of outputs
  int least_rows = 4;    ///< of a worker
  int in_flight = 8;     ///< loads
  int least_rounds = 2;  ///< of a block that shares an output
};
constexpr ShiftedTuning kShifted;

Candidate choose_aligned_columns(const ReductionProblem& problem) {
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

/// Aligned packs of columns if loads of neighbouring outputs are not aligned and the outputs
/// suffice for all blocks without sharing; nothing otherwise.
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

}  // namespace

Candidate choose_columns(const ReductionProblem& problem) {
  if (const auto shifted = choose_shifted_columns(problem)) return *shifted;
  return choose_aligned_columns(problem);
}

}  // namespace kernelbatch
