#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/packs.hpp"
#include "core/kernel/reduction/row.hpp"

namespace kernelbatch {
namespace {

/// Tuned on an H200 with sums of 1e3 to 1e8 elements of 4 and 8 bytes.
struct LanesTuning {
  int many_packs = 8;     ///< per lane: from here on loads hide the latency of each other
  int loads_of_many = 8;  ///< in flight, of single elements in any order
  int some_packs = 4, loads_of_some = 4;
  int least_packs = 4;  ///< of each warp that shares an output
  /// Packs of each lane of the warps that share a long row although there are outputs for all of
  /// them: fewer rows at a time are read faster, but each thread has a part in joining the results.
  int packs_of_long = 20;
  int threads_of_long = 256;  ///< that share such a row if all rows are read at once
  /// Threads of a unit that are resident if they read 16 bits in packs at aligned addresses: half
  /// of `threads_of_long` share a row if there are more rows.
  int narrow_threads = 1280;
  int loads_of_few_rows = 8;  ///< of these threads if they leave registers, of 4 bytes
  /// The same of float64 whose rows have one axis, if at least four warps share a row, by up to
  /// `few_threads`.
  int packs_of_float64 = 5, warps_of_float64 = 4;
  /// Threads that share a row of single float64, at most, and loads of a thread if these are all.
  /// Longer rows are read in rounds of as many loads by half of the threads.
  int threads_of_float64 = 512, most_at_once = 16;
  int least_rounds = 2;  ///< of a block that shares an output
  /// For outputs so few that all their loads are in flight at once: one block of up to
  /// `few_threads` threads per output, with up to `few_packs` packs per thread. A second phase,
  /// with blocks that wait for each other, would take longer.
  int few_threads = 1024, few_packs = 8, few_in_flight = 4;
  int few_rounds = 1;  ///< of a block that shares one of few outputs
  /// Rows that are not aligned are read in packs that begin at aligned elements: minimum number of
  /// packs per lane, and maximum size of the packs that all rows have anyway.
  int shifted_packs = 2;
  std::size_t shifted_bytes = 4;
  /// The same for long rows that have packs.
  int shifted_packs_of_long = 64;
  std::size_t shifted_bytes_of_long = 8;
  /// The same for slices: packs of each resident thread, and parts of each warp, at least.
  std::int64_t packs_for_slices = 4, parts_of_warp = 4;
  int warps = 2;  ///< of a block: small blocks are spread evenly over the units
  /// Outputs for each unit, from which blocks do not share outputs: a second phase costs more than
  /// idle warps.
  int outputs_of_unit = 2;
};
constexpr LanesTuning kRows;

/// True if packs that begin at aligned elements may replace a row's own, of at most `most` bytes.
bool gains_by_shifts(const ReductionProblem& problem, const Row& row, int pack, std::size_t most) {
  const std::size_t bytes = static_cast<std::size_t>(row.pack) * problem.first_item();
  return problem.freedom.commutes && pack > row.pack && bytes <= most;
}

/// The same row in wider packs of each of its slices, which are cut so that all warps have parts;
/// its own if slices are short, or elements few.
Row sliced(const ReductionProblem& problem, const Row& row, int pack) {
  const int warp = problem.device.loop_lanes;
  const LoopPlan& inner = problem.loops.inner;
  const std::int64_t slice = inner.extents[inner.rank() - 1], packs = slice / pack;
  const std::int64_t least = std::int64_t{kRows.shifted_packs} * warp;  // packs of a part
  const std::int64_t elements = problem.outputs() * problem.count();
  const bool is_word = problem.first_item() == 4;
  const std::size_t most = is_word ? kRows.shifted_bytes_of_long : kRows.shifted_bytes;
  if (!gains_by_shifts(problem, row, pack, most) || packs < least ||
      elements < kRows.packs_for_slices * pack * problem.threads())
    return row;
  const std::int64_t wanted = problem.sharing_blocks(warp) * kRows.parts_of_warp;
  const std::int64_t cuts =
      std::clamp<std::int64_t>(ceil_divide(wanted, elements / slice), 1, packs / least);
  return {pack, warp, problem.count() / pack, true, slice, cuts};
}

/// The same row in wider packs, if its own are narrower because rows are not aligned.
Row widened(const ReductionProblem& problem, const Row& row) {
  const int warp = problem.device.loop_lanes;
  const int pack = shifted_width(problem.loops, problem.inputs, PackAxis::kInner, problem.device);
  if (problem.loops.inner.rank() > 1) return sliced(problem, row, pack);
  const std::int64_t packs = problem.count() / pack;
  const bool is_long = row.pack > 1 && packs >= std::int64_t{kRows.shifted_packs_of_long} * warp;
  const std::size_t most = is_long ? kRows.shifted_bytes_of_long : kRows.shifted_bytes;
  if (!gains_by_shifts(problem, row, pack, most) ||
      packs < std::int64_t{kRows.shifted_packs} * warp)
    return row;
  return {pack, warp, packs, true};
}

/// Lanes of warps along a row.
Candidate warps_along(const Row& row) {
  Candidate choice;
  ReductionSchedule& s = choice.schedule;
  s.pattern = ReductionPattern::kWarp;
  s.pack = row.pack;
  s.lanes = row.lanes;
  s.is_shifted = row.is_shifted;
  s.slice = row.slice;
  s.cuts = row.cuts;
  return choice;
}

/// For outputs so few that each may have its own block, and the time is that of one block.
std::optional<Candidate> choose_block(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  const std::int64_t threads = std::min(kRows.few_threads, device.max_threads_per_block);
  if (!problem.freedom.commutes || row.lanes < device.loop_lanes || row.slice > 1 ||
      problem.outputs() > device.compute_units || row.packs > threads * kRows.few_packs)
    return std::nullopt;
  Candidate choice = warps_along(row);
  ReductionSchedule& s = choice.schedule;
  s.workers =
      power_of_two(ceil_divide(row.packs, s.lanes), static_cast<int>(threads / device.loop_lanes));
  s.in_flight =
      power_of_two(ceil_divide(row.packs, std::int64_t{s.lanes} * s.workers), kRows.few_packs);
  choice.smallest_split = problem.count();
  return choice;
}

bool has_rows_for_units(const ReductionProblem& problem) {
  return problem.outputs() >= std::int64_t{kRows.outputs_of_unit} * problem.device.compute_units;
}

/// Threads that share a row if all rows are read at once.
int threads_of_wave(const ReductionProblem& problem, const Row& row) {
  const bool is_uneven = row.is_shifted && problem.first_item() == 2 &&
                         problem.outputs() * kRows.threads_of_long >
                             std::int64_t{problem.device.compute_units} * kRows.narrow_threads;
  return is_uneven ? kRows.threads_of_long / 2 : kRows.threads_of_long;
}

/// Warps that share a row because it is long; a power of two.
int workers_of_long(const ReductionProblem& problem, const Row& row) {
  const bool is_float64 = problem.first_item() == 8;
  const bool is_wave = problem.outputs() * kRows.threads_of_long <= problem.threads();
  const bool is_single = is_float64 && row.pack == 1;
  const bool has_rounds = row.packs > std::int64_t{kRows.threads_of_float64} * kRows.most_at_once;
  const int threads = is_wave && !is_float64    ? threads_of_wave(problem, row)
                      : is_single && has_rounds ? kRows.threads_of_float64 / 2
                      : is_single               ? kRows.threads_of_float64
                                                : kRows.few_threads;
  const int most = std::min(threads, problem.device.max_threads_per_block) / row.lanes;
  const auto warps_for = [&](int packs) { return row.packs / (std::int64_t{packs} * row.lanes); };
  std::int64_t warps = warps_for(kRows.packs_of_long);
  if (is_float64 && problem.loops.inner.rank() == 1 &&
      warps_for(kRows.packs_of_float64) >= kRows.warps_of_float64)
    warps = warps_for(kRows.packs_of_float64);
  if (!problem.freedom.commutes || warps == 0) return 1;
  return std::min(most, static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(warps))));
}

/// More loads in flight: all of single float64, or rounds of many, and of 4 bytes if rows are so
/// few that they are read at once by few threads each. Registers for all loads of packs of 4 bytes
/// per element at aligned addresses.
void load_more(ReductionSchedule& s, const ReductionProblem& problem, const Row& row) {
  const std::int64_t loads = ceil_divide(row.packs, std::int64_t{s.lanes} * s.workers);
  if (problem.first_item() == 8 && s.pack == 1 && problem.loops.inner.rank() == 1 &&
      s.workers > 1 && loads > s.in_flight)
    s.in_flight = static_cast<int>(std::min<std::int64_t>(loads, kRows.most_at_once));
  if (problem.first_item() == 4 && s.pack > 1 && s.workers * s.lanes == kRows.threads_of_long &&
      2 * problem.outputs() * kRows.threads_of_long <= problem.threads())
    s.in_flight = kRows.loads_of_few_rows;
  s.has_registers = row.is_shifted && row.slice == 1 && problem.first_item() == 4 &&
                    s.workers * s.lanes >= kRows.threads_of_long;
}

Candidate choose_warp(const ReductionProblem& problem, const Row& row) {
  const DeviceProperties& device = problem.device;
  Candidate choice = warps_along(row);
  ReductionSchedule& s = choice.schedule;
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
                             threads_of_wave(problem, row) / device.loop_lanes);
    if (has_rows_for_units(problem)) {
      s.workers = std::max(s.workers, workers_of_long(problem, row));
      load_more(s, problem, row);
    }
  }
  const bool has_warps = s.lanes == device.loop_lanes;
  const int threads = has_warps ? kRows.warps * s.lanes : device.loop_block;
  s.outputs = std::max(1, threads / (s.lanes * s.workers));
  const int rounds =
      problem.outputs() < device.compute_units / 4 ? kRows.few_rounds : kRows.least_rounds;
  const std::int64_t least = s.slice > 1 ? ceil_divide(s.slice, s.cuts)
                                         : std::int64_t{s.lanes} * s.pack * s.in_flight * rounds;
  choice.smallest_split = has_rows_for_units(problem) ? problem.count() : least * s.workers;
  return choice;
}

}  // namespace

Candidate choose_rows(const ReductionProblem& problem) {
  Row row = row_of(problem);
  if (const auto staged = choose_staged_rows(problem, row)) return *staged;
  if (const auto batched = choose_batched_rows(problem, row)) return *batched;
  row = widened(problem, row);
  if (const auto block = choose_block(problem, row)) return *block;
  return choose_warp(problem, row);
}

}  // namespace kernelbatch
