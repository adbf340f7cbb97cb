#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/packs.hpp"

namespace kernelbatch {
namespace {

/// Tuned on an H200.
struct RunTuning {
  /// Bytes of neighbouring elements of an output: usual limit, and that of elements whose packs
  /// along the run have less than `own_bytes`.
  std::int64_t most_run = 32, most_long_run = 128;
  int own_bytes = 8;
  int packs_of_long = 256;        ///< of a block's part of a row with such elements
  int threads = 256, packs = 64;  ///< of a block, and of its part of a row
  int most_across = 8;            ///< sums of a thread
  int least_bytes = 8;            ///< of aligned packs, else those around the elements are read
  std::size_t covered_item = 2;   ///< bytes of elements for which this pays off
  int bytes_in_flight = 64;       ///< of a thread
  int least_rows = 4;             ///< of a worker
  /// Rows of an output: at least, and up to which each worker has more of them, in blocks with
  /// twice as many packs of a row.
  std::int64_t some_rows = 32, few_rows = 64;
  double uneven_waves = 1.45;  ///< of blocks with rows of one reduced axis
  int least_rounds = 2;        ///< of a block that shares an output
};
constexpr RunTuning kRun;

/// Neighbouring elements of each output, if rows of outputs consist of them; 0 otherwise.
std::int64_t run_of(const ReductionProblem& problem) {
  const LoopPlan &outer = problem.loops.outer, &inner = problem.loops.inner;
  const int last = inner.rank() - 1;
  std::int64_t run = 0;
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    const std::int64_t step = outer.strides[k][outer.rank() - 1];
    const bool has_run =
        last > 0 && inner.strides[k][last] == item && step == inner.extents[last] * item;
    const std::int64_t own = has_run ? inner.extents[last] : step == item ? 1 : 0;
    const auto is_whole = [item](std::int64_t offset) { return offset % item == 0; };
    if (own == 0 || (k > 0 && own != run) || !std::ranges::all_of(inner.strides[k], is_whole) ||
        !std::ranges::all_of(outer.strides[k], is_whole))
      return 0;
    run = own;
  }
  return run;
}

/// True if runs of more than the usual length are read one by one otherwise.
bool has_long_runs(const ReductionProblem& problem, std::int64_t bytes) {
  const int pack = pack_width(problem.loops, problem.inputs, problem.device);
  const int item = static_cast<int>(problem.first_item());
  return bytes <= kRun.most_long_run && (pack == 1 || pack * item < kRun.own_bytes);
}

/// True if few of the blocks whose parts of rows have `part` outputs run after all others.
bool is_uneven(const ReductionProblem& problem, std::int64_t part) {
  const std::int64_t length = problem.neighbours();
  const double waves = static_cast<double>(problem.outputs() / length * ceil_divide(length, part)) /
                       static_cast<double>(problem.sharing_blocks(kRun.threads));
  return waves > 1 && waves <= kRun.uneven_waves;
}

}  // namespace

std::optional<Candidate> choose_run_columns(const ReductionProblem& problem) {
  if (!problem.freedom.commutes || !problem.freedom.joins_outputs || problem.inputs.empty() ||
      problem.arrays[problem.inputs.size()] == nullptr)
    return std::nullopt;
  std::size_t item = 1;
  for (const Array& input : problem.inputs) item = std::max(item, size_of(input.dtype()));
  const std::int64_t run = run_of(problem), bytes = run * static_cast<std::int64_t>(item);
  const bool is_long = bytes > kRun.most_run;
  if (run == 0 || (is_long && !has_long_runs(problem, bytes)) ||
      (run == 1 && problem.loops.outer.rank() == 1))
    return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kShiftedColumns;
  s.run = static_cast<int>(run);
  s.across =
      std::min(kRun.most_across, run_width(problem.loops, problem.inputs, run > 1, problem.device));
  s.covers = s.across * static_cast<int>(item) < kRun.least_bytes && item <= kRun.covered_item;
  if (s.covers)
    s.across = std::min(kRun.most_across, problem.device.vector_bytes / static_cast<int>(item));
  if (run == 1 && !s.covers) return std::nullopt;
  const std::int64_t length = problem.neighbours(), rows = problem.count() / run;
  // The tiles of all blocks begin at packs.
  const std::int64_t unit = s.covers ? 1 : s.across / std::gcd(std::int64_t{s.across}, run);
  // Rows of one reduced axis have long parts, or half as long ones; but only bfloat16, which spills
  // as packs at each row's own shift.
  const bool has_axes = problem.loops.inner.rank() > 1;
  const bool is_even = !has_axes && length > 0 && !is_uneven(problem, 2 * kRun.packs * s.across);
  if (!has_axes && !is_even && problem.inputs[0].dtype() != DType::kBFloat16) return std::nullopt;
  const int packs = is_long                           ? kRun.packs_of_long
                    : rows < kRun.few_rows || is_even ? 2 * kRun.packs
                                                      : kRun.packs;
  const std::int64_t most = std::int64_t{packs} * s.across / (run * unit) * unit;
  if (most == 0 || length * (is_long ? 1 : run) < most || rows < kRun.some_rows)
    return std::nullopt;
  const std::int64_t tiles = ceil_divide(length, most);
  s.columns = static_cast<int>(ceil_divide(ceil_divide(length, tiles), unit) * unit);
  s.outputs = static_cast<int>(ceil_divide(s.columns * run, s.across));
  s.workers = static_cast<int>(
      std::clamp<std::int64_t>(kRun.threads / s.outputs, 1, rows / kRun.least_rows));
  s.in_flight = std::clamp(kRun.bytes_in_flight / (s.across * static_cast<int>(item)), 1, 8);
  choice.smallest_split = std::int64_t{s.workers} * s.in_flight * run * kRun.least_rounds;
  return choice;
}

}  // namespace kernelbatch
