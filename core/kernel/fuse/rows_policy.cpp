#include "core/kernel/fuse/rows_policy.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "core/kernel/fuse/rows_budget.hpp"
#include "core/kernel/fuse/rows_tuning.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Supported by every device with clusters, and by whole GPUs: a cluster's blocks run on
/// neighbouring units.
constexpr int kPortableCluster = 8, kLargestCluster = 16, kUnitsForLargest = 132;

int cluster_limit(const DeviceProperties& device) {
  if (device.capability_major < 9) return 1;
  const bool is_whole = device.mig_profile.empty() && device.compute_units >= kUnitsForLargest;
  return is_whole ? kLargestCluster : kPortableCluster;
}

void share_warps(RowsSchedule& s, const RowsProblem& problem, const RowsBudget& budget,
                 const DeviceProperties& device) {
  const int warp = device.loop_lanes;
  if (s.pack == 1) {
    s.lanes = lanes_of_single_elements(problem, budget, warp);
  } else {
    const int pack_bytes = s.pack * problem.smallest;
    const int usual = problem.gives_rows && problem.smallest == 8 ? kTuning.sector / pack_bytes
                                                                  : kTuning.lanes_of_a_line;
    const int least = std::min(usual, power_of_two(budget.packs));
    s.lanes = std::clamp(power_of_two(ceil_divide(budget.packs, budget.some)), least, warp);
    const bool is_narrow = pack_bytes < device.vector_bytes && !problem.gives_rows;
    if (is_narrow && is_sector(problem))
      s.lanes = 1;
    else if (is_narrow && s.lanes == kTuning.lanes_of_a_line &&
             budget.packs > std::int64_t{kTuning.narrow_packs} * s.lanes)
      s.lanes *= 2;
  }
  s.rows = rows_of_warps(s, problem);
  if (s.pack == 1 && s.lanes == warp && !problem.gives_rows &&
      ceil_divide(budget.packs, warp) > kTuning.elements_of_warp) {
    // Blocks of two warps, both of one row if elements are not narrow.
    s.lanes = problem.smallest <= 2 ? warp : 2 * warp;
    s.rows = 2 * warp / s.lanes;
    return;
  }
  // Prefer more blocks than units to full blocks.
  while (s.threads() > warp && ceil_divide(problem.rows, s.rows) < 2 * device.compute_units)
    s.rows /= 2;
}

/// One block for a row that a cluster would share otherwise, if it fits and there are enough rows:
/// blocks of a cluster wait for each other. False if not.
bool give_one_block(RowsSchedule& s, const RowsProblem& problem, const RowsBudget& budget,
                    const DeviceProperties& device) {
  // Packs of 4 bytes stay with clusters, which read them in packs at aligned addresses.
  if (problem.rows < std::int64_t{2} * device.compute_units || problem.gives_rows ||
      (s.is_shifted && problem.pack > 1))
    return false;
  for (const auto& [lanes, most] : {std::pair{kTuning.long_row, budget.long_row},
                                    std::pair{kTuning.most_threads, budget.one_block}}) {
    if (std::int64_t{lanes} * most < budget.packs) continue;
    s.lanes = lanes;
    return true;
  }
  return false;
}

void give_blocks(RowsSchedule& s, const RowsProblem& problem, const RowsBudget& budget,
                 const DeviceProperties& device) {
  int limit = cluster_limit(device);
  const auto threads_for = [&](int items, int most) {
    return std::clamp(power_of_two(ceil_divide(budget.packs, std::int64_t{s.blocks} * items)),
                      2 * device.loop_lanes, most);
  };
  const auto fits = [&](int threads) {
    return std::int64_t{s.blocks} * threads * budget.most >= budget.packs;
  };
  if (!fits(kTuning.long_row) && give_one_block(s, problem, budget, device)) return;
  while (s.blocks < limit && !fits(kTuning.long_row)) s.blocks *= 2;
  // Threads that keep less do not spill. More than four blocks wait for each other for longer.
  if (s.blocks == 2 && limit > 2 &&
      2 * kTuning.long_row * std::max(1, kTuning.most_elements / s.pack) < budget.packs)
    s.blocks = 4;
  // More blocks do not help rows that are read again.
  if (s.blocks > kPortableCluster && !fits(kTuning.most_threads))
    s.blocks = limit = kPortableCluster;
  // Few rows: use more blocks than units, while each has enough work.
  while (s.blocks < limit && problem.rows * s.blocks < device.compute_units &&
         budget.packs >= std::int64_t{2} * s.blocks * kTuning.block * budget.some)
    s.blocks *= 2;
  s.lanes = threads_for(budget.some, kTuning.long_row);
  // Several smaller blocks on a unit overlap their loads and joins.
  if (s.blocks == 1 && fits(kTuning.block) &&
      budget.packs * s.pack <= kTuning.block * kTuning.most_in_packs)
    s.lanes = std::min(s.lanes, kTuning.block);
  // A row that does not fit into a unit's registers is read again, by blocks of which two fit on a
  // unit.
  if (!fits(s.lanes) && fits(kTuning.most_threads)) s.lanes = kTuning.most_threads;
  // Odd rows of float64 that are read again take more registers: one large block is on a unit.
  for (; problem.smallest == 8 && s.is_shifted && !fits(s.lanes) && s.lanes > kTuning.block &&
         s.blocks < cluster_limit(device);
       s.blocks *= 2)
    s.lanes /= 2;
  const auto idle = [&](int lanes) { return idle_share(budget.packs, s.blocks * lanes); };
  while (s.lanes > 2 * device.loop_lanes && fits(s.lanes / 2) &&
         idle(s.lanes / 2) < idle(s.lanes) - kTuning.idle_share)
    s.lanes /= 2;
  if (fits_two_warps(s, problem, budget, device)) s.lanes = kTuning.two_warps;
}

/// Neighbouring threads have neighbouring rows; each thread processes a whole row.
void give_columns(RowsSchedule& s, const RowsProblem& problem, const RowsBudget& budget) {
  s.rows = kTuning.close_rows;
  const int least = 32 / std::max(1, problem.kept);  // rows of a sector
  while (s.rows > std::max(least, 1) &&
         std::int64_t{kTuning.most_threads / s.rows} * budget.most < budget.packs)
    s.rows /= 2;
  s.lanes = std::clamp(power_of_two(ceil_divide(budget.packs, budget.some)),
                       std::max(1, kTuning.block / 2 / s.rows), kTuning.most_threads / s.rows);
}

RowsSchedule finished(RowsSchedule s, const RowsProblem& problem, std::int64_t packs,
                      std::int64_t items) {
  s.items = static_cast<int>(items);
  if (s.is_shifted) packs = problem.length / s.pack;
  s.sure = s.is_kept ? static_cast<int>(packs / s.members()) : 0;
  s.has_rest = problem.rows % s.rows != 0;
  s.groups = ceil_divide(problem.rows, s.rows);
  if (s.is_kept && problem.length <= kTuning.known_length) s.length = problem.length;
  return s;
}

/// Minimum number of threads of a block that fetches ahead. Several blocks on a unit load while
/// others join. This does not suffice for rows of 16 bits in packs of 16 bytes, or of 8 bytes of
/// bfloat16, which are converted one by one, or with more than one reduction; but threads of small
/// blocks that keep more than `most_elements` spill if they do not have registers for
/// `most_in_packs`.
int fetching_threads(const RowsSchedule& s, const RowsProblem& problem,
                     const DeviceProperties& device) {
  const int elements = s.items * s.pack;
  const int least = problem.has_bfloat16 ? device.vector_bytes / 2 : device.vector_bytes;
  const bool waits = problem.reductions > 1 || s.pack * problem.smallest >= least;
  const bool spills = s.lanes == kTuning.block && elements > kTuning.most_elements &&
                      elements <= kTuning.spilling_elements;
  return problem.smallest == 2 && !problem.gives_rows && waits && !spills ? kTuning.block
                                                                          : kTuning.most_threads;
}

void fetch_ahead(RowsSchedule& s, const RowsProblem& problem, const DeviceProperties& device) {
  const std::int64_t at_once = device.compute_units / s.blocks;
  const std::size_t bytes = static_cast<std::size_t>(s.threads()) *
                            static_cast<std::size_t>(s.items * s.pack) *
                            static_cast<std::size_t>(problem.kept);
  if (!s.is_kept || s.is_shifted || s.rows_are_close || s.rows > 1 ||
      s.lanes < fetching_threads(s, problem, device) || !problem.can_fetch || s.groups <= at_once ||
      device.capability_major < 8 || bytes + kTuning.other_shared > device.shared_per_block_optin)
    return;
  s.fetches_ahead = true;
}

/// Elements of a pack at aligned addresses if those pay off for unaligned rows, 0 otherwise: if
/// several blocks share a row, or if single elements would take a large block or more
/// registers than a thread has.
int shifted_pack(const RowsSchedule& s, const RowsProblem& problem,
                 const DeviceProperties& device) {
  const int least = s.is_kept ? device.vector_bytes / 2 : device.vector_bytes;
  if (s.blocks > 1) return s.pack * problem.smallest < least ? problem.shifted_pack : 0;
  const bool is_single = problem.pack == 1 && problem.smallest >= 4 && !problem.gives_rows;
  if (is_single && s.lanes >= kTuning.block) return problem.shifted_pack;
  if (s.pack * problem.smallest >= 4) return 0;
  if (s.lanes > kTuning.block) return problem.shifted_pack;
  return s.items * s.pack > kTuning.single_elements
             ? std::min(problem.shifted_pack, kTuning.shifted_bytes / problem.smallest)
             : 0;
}

/// True if rows in shared memory are faster than rows in registers: those that are short and either
/// are not read in the widest packs or leave lanes idle, which each compute a row's divisors and
/// roots.
bool gains_by_staging(const RowsProblem& problem, const DeviceProperties& device) {
  if (is_sector(problem)) return false;
  const int pack_bytes = problem.pack * problem.smallest;
  if (pack_bytes < device.vector_bytes && problem.length <= kTuning.staged_length) return true;
  const bool is_odd = pack_bytes <= 2;
  if (problem.length * problem.smallest > (is_odd ? kTuning.staged_odd_row : kTuning.staged_row))
    return false;
  if (pack_bytes <= 4) return true;
  const std::int64_t packs = ceil_divide(problem.length, problem.pack);
  return pack_bytes == device.vector_bytes &&
         idle_share(packs, std::min(kTuning.lanes_of_a_line, power_of_two(packs))) >
             kTuning.staged_idle_share;
}

/// The largest pack of at least 4 bytes that leaves few lanes idle.
int staged_pack(const RowsProblem& problem, int lanes) {
  int best = problem.pack;
  const auto idle = [&](int pack) { return idle_share(problem.length / pack, lanes); };
  for (int pack = best / 2; pack * problem.smallest >= 4; pack /= 2)
    if (idle(pack) < idle(best) - kTuning.idle_gain) best = pack;
  return best;
}

/// Whole rows in shared memory with few threads per row, which read words or packs.
std::optional<RowsSchedule> stage_rows(const RowsProblem& problem, const DeviceProperties& device) {
  const std::int64_t row_bytes = problem.length * problem.staged;
  if (problem.staged == 0 || !gains_by_staging(problem, device)) return std::nullopt;
  RowsSchedule s{.is_kept = true, .is_staged = true};
  const bool is_wide = problem.pack * problem.smallest == device.vector_bytes;
  const int elements = problem.smallest < 4   ? kTuning.most_elements
                       : !is_wide             ? kTuning.staged_words
                       : problem.smallest < 8 ? kTuning.staged_words_of_packs
                                              : kTuning.staged_words_of_float64;
  // Rows just longer than what a lane takes have one lane, too, which reads their own packs.
  const std::int64_t words = problem.length * problem.kept_words;
  const bool is_of_one = words > elements && words <= kTuning.staged_by_one_lane;
  const int word = std::min(problem.shifted_pack, 4 / problem.smallest);
  s.is_shifted = word > problem.pack && !is_of_one;
  const std::int64_t shift = s.is_shifted ? word - 1 : 0;
  const int first = s.is_shifted ? word : problem.pack;
  const std::int64_t length = ceil_divide(problem.length + shift, first) * first;
  s.lanes = is_of_one ? 1
                      : std::min(power_of_two(ceil_divide(length * problem.kept_words, elements)),
                                 device.loop_lanes);
  s.pack = s.is_shifted ? word : staged_pack(problem, s.lanes);
  const std::int64_t packs = ceil_divide(problem.length + shift, s.pack);
  s.rows = kTuning.staged_block / s.lanes;
  while (s.rows * row_bytes > kTuning.staged_memory) s.rows /= 2;
  // Too few rows: distributing each over a block is faster than staging.
  const int whole = device.vector_bytes / problem.smallest;  // rows that are packs whatever length
  if (s.rows < whole || s.threads() < device.loop_lanes ||
      problem.rows < std::int64_t{s.rows} * device.compute_units)
    return std::nullopt;
  return finished(s, problem, packs, ceil_divide(packs, s.lanes));
}

/// Distributes rows over threads according to the schedule's pack size.
RowsSchedule share_row(RowsSchedule s, const RowsProblem& problem, const DeviceProperties& device) {
  const RowsBudget budget = budget_of(s, problem, device);
  if (s.rows_are_close)
    give_columns(s, problem, budget);
  else if (budget.packs <= std::int64_t{device.loop_lanes} * budget.warp)
    share_warps(s, problem, budget, device);
  else
    give_blocks(s, problem, budget, device);
  const std::int64_t items = ceil_divide(budget.packs, s.members());
  s.is_kept = items <= budget.most_of(s);
  s = finished(s, problem, budget.packs, s.is_kept ? items : budget.chunk);
  fetch_ahead(s, problem, device);
  return s;
}

/// Rows with one result each that would take several blocks: they are read once and not kept, by as
/// many threads as the device needs. Nothing for others: keeping takes fewer instructions.
std::optional<RowsSchedule> stream_rows(const RowsSchedule& kept, const RowsProblem& problem,
                                        const DeviceProperties& device) {
  if (!problem.gives_rows || !problem.takes_one_pass || problem.rows_are_close ||
      (kept.is_kept && kept.blocks == 1))
    return std::nullopt;
  RowsSchedule s;
  s.pack = std::max(problem.pack, problem.shifted_pack);
  s.is_shifted = s.pack > problem.pack;
  const std::int64_t packs = ceil_divide(problem.length + (s.is_shifted ? s.pack - 1 : 0), s.pack);
  const int items =
      std::clamp(kTuning.chunk_bytes / (s.pack * problem.kept), 1, kTuning.most_elements / s.pack);
  const std::int64_t chunks = ceil_divide(packs, items);
  const std::int64_t threads = std::int64_t{device.compute_units} * kTuning.most_threads;
  s.lanes = std::clamp(power_of_two(std::min(threads / problem.rows, chunks / 2)),
                       kTuning.block / 2, kTuning.long_row);
  while (s.blocks < cluster_limit(device) && problem.rows * s.members() < threads * 2 / 3 &&
         chunks >= 4 * s.members())
    s.blocks *= 2;
  return finished(s, problem, packs, items);
}

}  // namespace

RowsSchedule schedule_rows(const RowsProblem& problem, const DeviceProperties& device) {
  RowsSchedule s;
  s.groups = problem.rows;
  // One thread processes a row, which stays in the caches.
  if (!device.is_simt()) return s;
  if (const auto staged = stage_rows(problem, device)) return *staged;
  s.rows_are_close = problem.rows_are_close;
  // Exponentials of pairs of float64 take longer if rows are not short.
  const bool has_single = problem.has_exponentials && problem.smallest == 8 &&
                          !problem.gives_rows && kTuning.has_single_exponentials(problem.length);
  s.pack = s.rows_are_close || has_single ? 1 : problem.pack;
  s = share_row(s, problem, device);
  if (const auto streamed = stream_rows(s, problem, device)) return *streamed;
  const int pack = shifted_pack(s, problem, device);
  return pack <= s.pack ? s : share_row({.pack = pack, .is_shifted = true}, problem, device);
}

}  // namespace kernelbatch
