#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/kernel/reduction/row.hpp"

namespace kernelbatch {
namespace {

/// Short rows in shared memory. Tuned on an H200.
struct StagedTuning {
  int threads = 128;
  std::int64_t most_row = 512, most_narrow_row = 1024;  ///< bytes of a row of all inputs
  std::int64_t narrow_item = 2;                         ///< bytes of an element of narrow rows
  /// Bytes that one thread reduces, of a row that is one piece, and of several.
  std::int64_t bytes_of_thread = 128, bytes_of_pieces = 320;
  std::int64_t piece = 8 << 10;  ///< bytes that a block copies at a time, about
  int most_rows = 16;            ///< of a thread
};
constexpr StagedTuning kStaged;

/// Rows of lanes. Tuned on an H200.
struct BatchedTuning {
  int loads = 4;  ///< of one thread, over all its rows
  int waves = 2;
};
constexpr BatchedTuning kBatched;

/// Share of lanes without packs, from which rows in the widest packs are staged or have fewer
/// lanes.
constexpr double kIdleShare = 0.05;
constexpr int kLanesOfALine = 8;  // whose widest packs are a cache line

/// True if a block's rows are one piece of memory, or one for each index of a first reduced axis.
bool rows_are_pieces(const ReductionProblem& problem, std::size_t input) {
  const ReductionLoops& loops = problem.loops;
  const std::int64_t vector = problem.device.vector_bytes;
  const auto item = static_cast<std::int64_t>(size_of(problem.inputs[input].dtype()));
  const int last = loops.inner.rank() - 1;
  const Strides& inner = loops.inner.strides[input];
  // Copies begin at whole vectors, from the second piece on before the first row.
  const bool has_room = last == 0 || (inner[0] >= vector && inner[0] % item == 0);
  return last <= 1 && loops.outer.rank() == 1 && has_room && inner[last] == item &&
         loops.outer.strides[input][0] == loops.inner.extents[last] * item &&
         reinterpret_cast<std::int64_t>(problem.inputs[input].data()) % vector == 0;
}

}  // namespace

std::optional<Candidate> choose_staged_rows(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  if (problem.inputs.empty() || problem.arrays[problem.inputs.size()] == nullptr ||
      problem.count() < 2)
    return std::nullopt;
  std::int64_t bytes = 0, smallest = device.vector_bytes;  // of one element of all inputs
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    if (!rows_are_pieces(problem, k)) return std::nullopt;
    bytes += item;
    smallest = std::min(smallest, item);
  }
  const std::int64_t row_bytes = problem.count() * bytes;
  const bool has_pieces = problem.loops.inner.rank() > 1;
  const bool has_idle = !has_pieces && idle_share(row) >= kIdleShare;
  if ((has_widest_packs(problem, row) && !has_idle) ||
      row_bytes > (bytes <= kStaged.narrow_item ? kStaged.most_narrow_row : kStaged.most_row))
    return std::nullopt;
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kStagedRows;
  s.pack = row.pack;
  s.lanes = power_of_two(
      ceil_divide(row_bytes, has_pieces ? kStaged.bytes_of_pieces : kStaged.bytes_of_thread),
      device.loop_lanes);
  s.outputs = kStaged.threads / s.lanes;
  s.rows = power_of_two(kStaged.piece / (s.outputs * row_bytes) + 1, kStaged.most_rows);
  choice.smallest_split = problem.count();
  const std::int64_t rows = std::int64_t{s.outputs} * s.rows;
  const LoopPlan& inner = problem.loops.inner;
  if (problem.outputs() < 2 * rows * device.compute_units ||
      rows * inner.extents[inner.rank() - 1] * smallest % device.vector_bytes != 0)
    return std::nullopt;
  return choice;
}

std::optional<Candidate> choose_batched_rows(const ReductionProblem& problem, const Row& row) {
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kBatchedRows;
  s.pack = row.pack;
  s.lanes = row.lanes;
  const auto loads_of = [&](int lanes) { return ceil_divide(row.packs, lanes); };
  const auto suffices = [&](int lanes) {
    return loads_of(lanes) <= kBatched.loads &&
           problem.outputs() * lanes >= kBatched.waves * problem.threads();
  };
  if (problem.count() == 0 || !suffices(s.lanes)) return std::nullopt;
  // Fewer lanes join fewer values, as long as they read cache lines, or leave fewer idle.
  if (has_widest_packs(problem, row)) {
    while (s.lanes > kLanesOfALine && suffices(s.lanes / 2)) s.lanes /= 2;
    if (row.lanes <= kLanesOfALine && idle_share(row) >= kIdleShare && suffices(s.lanes / 2))
      s.lanes /= 2;
  }
  const std::int64_t loads = loads_of(s.lanes);
  s.in_flight = static_cast<int>(loads);
  s.rows = std::max(1, kBatched.loads / s.in_flight);
  s.outputs = std::max(1, problem.device.loop_block / s.lanes);
  return choice;
}

}  // namespace kernelbatch
