#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/kernel/reduction/columns_row.hpp"
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

/// Groups of outputs in shared memory. Tuned on an H200.
struct GroupsTuning {
  int threads = 128, joining_threads = 256, most_lanes = 8;
  std::int64_t bytes_of_thread = 512;                    ///< of an output of all inputs
  std::int64_t most_row = 512, most_row_of_runs = 2048;  ///< the same, if the last axis is reduced
  std::int64_t piece = 8 << 10, most_piece = 40 << 10;   ///< bytes that a block copies, about
  /// Elements of an output, up to which threads read single ones as fast from memory, unless the
  /// last axis is reduced.
  std::int64_t few_elements = 12;
  /// Bytes of packs of outputs, or of the last axis, from which groups do not pay.
  std::int64_t own_bytes = 16;
  /// Threads of a warp that read the same bank of shared memory, at most.
  std::int64_t most_conflicts = 4, banks = 128;  ///< bytes of all banks
  int most_rows = 16;                            ///< of a thread
};
constexpr GroupsTuning kGroups;

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

/// Bytes of one element of all inputs, and of the smallest.
struct Items {
  std::int64_t bytes = 0, smallest;
};
Items items_of(const ReductionProblem& problem) {
  Items items{.smallest = problem.device.vector_bytes};
  for (const Array& input : problem.inputs) {
    const auto item = static_cast<std::int64_t>(size_of(input.dtype()));
    items.bytes += item;
    items.smallest = std::min(items.smallest, item);
  }
  return items;
}

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

/// True if each input's groups of outputs follow each other in memory, from an aligned address on.
bool groups_are_pieces(const ReductionProblem& problem, std::int64_t group) {
  for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
    const auto item = static_cast<std::int64_t>(size_of(problem.inputs[k].dtype()));
    const auto begin = reinterpret_cast<std::int64_t>(problem.inputs[k].data());
    if (problem.loops.outer.strides[k][0] != group * item ||
        begin % problem.device.vector_bytes != 0)
      return false;
  }
  return true;
}

/// True if groups of outputs whose elements are `row`s are faster through shared memory.
bool gains_by_groups(const ReductionProblem& problem, const ColumnsRow& row) {
  const Items items = items_of(problem);
  const std::int64_t bytes = problem.count() * items.bytes;
  const bool has_runs = !row.ends_with_outputs();
  if (bytes > (has_runs ? kGroups.most_row_of_runs : kGroups.most_row) ||
      (!has_runs && problem.count() <= kGroups.few_elements))
    return false;
  const int own =
      has_runs ? pack_width(problem.loops, problem.inputs, problem.device)
               : across_width(problem.loops, problem.inputs.size(), problem.arrays, problem.device);
  const std::int64_t groups = ceil_divide(problem.device.loop_lanes, row.outputs);  // of a warp
  const std::int64_t group = row.outputs * problem.count() * items.smallest;
  const std::int64_t banks = kGroups.banks / std::gcd(kGroups.banks, group);
  return own * items.smallest < kGroups.own_bytes && groups <= kGroups.most_conflicts * banks;
}

}  // namespace

std::optional<Candidate> choose_staged_groups(const ReductionProblem& problem) {
  const DeviceProperties& device = problem.device;
  if (problem.inputs.empty() || problem.arrays[problem.inputs.size()] == nullptr ||
      problem.count() < 2)
    return std::nullopt;
  const std::optional<ColumnsRow> row = columns_row(problem.loops, problem.inputs);
  if (!row || row->outputs < 2 || row->group_axes != 1) return std::nullopt;
  const std::int64_t group = row->length * problem.loops.inner.extents[0];
  if (!groups_are_pieces(problem, group) || !gains_by_groups(problem, *row)) return std::nullopt;
  const Items items = items_of(problem);
  const std::int64_t row_bytes = problem.count() * items.bytes;
  // A block's groups are whole vectors, and its threads whole warps if lanes join.
  const std::int64_t vectors =
      device.vector_bytes / std::gcd(device.vector_bytes, group * items.smallest);
  const auto outputs_of = [&](int lanes) {
    const std::int64_t unit =
        std::lcm(row->outputs * vectors, lanes > 1 ? device.loop_lanes / lanes : 1);
    const int threads = lanes > 1 ? kGroups.joining_threads : kGroups.threads;
    return static_cast<int>(
        std::min<std::int64_t>(threads / lanes, kGroups.most_piece / row_bytes) / unit * unit);
  };
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kStagedRows;
  s.pack = pack_width(problem.loops, problem.inputs, device);
  s.kept = static_cast<int>(row->outputs);
  s.lanes = power_of_two(ceil_divide(row_bytes, kGroups.bytes_of_thread), device.loop_lanes);
  s.outputs = outputs_of(s.lanes);
  while (s.outputs == 0 && s.lanes < kGroups.most_lanes) s.outputs = outputs_of(s.lanes *= 2);
  choice.smallest_split = problem.count();
  if (s.outputs == 0) return std::nullopt;
  s.rows = power_of_two(kGroups.piece / (s.outputs * row_bytes) + 1, kGroups.most_rows);
  if (problem.outputs() < std::int64_t{2} * s.outputs * s.rows * device.compute_units)
    return std::nullopt;
  return choice;
}

std::optional<Candidate> choose_staged_rows(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  if (problem.inputs.empty() || problem.arrays[problem.inputs.size()] == nullptr ||
      problem.count() < 2)
    return std::nullopt;
  for (std::size_t k = 0; k < problem.inputs.size(); ++k)
    if (!rows_are_pieces(problem, k)) return std::nullopt;
  const Items items = items_of(problem);
  const std::int64_t row_bytes = problem.count() * items.bytes;
  const bool has_pieces = problem.loops.inner.rank() > 1;
  const bool has_idle = !has_pieces && idle_share(row) >= kIdleShare;
  if ((has_widest_packs(problem, row) && !has_idle) ||
      row_bytes > (items.bytes <= kStaged.narrow_item ? kStaged.most_narrow_row : kStaged.most_row))
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
      rows * inner.extents[inner.rank() - 1] * items.smallest % device.vector_bytes != 0)
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
