#include <algorithm>
#include <numeric>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/columns_row.hpp"
#include "core/kernel/reduction/packs.hpp"

namespace kernelbatch {
namespace {

/// Columns so few that several rows, which together are whole packs, are processed as one. Tuned on
/// an H200.
struct FoldedTuning {
  int most_across = 8;  ///< sums of a thread
  int most_packs = 512, most_columns = 512;
  int most_with_runs = 1024;      ///< columns of rows whose last axis is reduced
  std::int64_t short_run = 32;    ///< bytes of such an axis whose packs are no packs of its own
  int most_covered = 192;         ///< columns, if the packs around elements may be read instead
  int few_columns = 16;           ///< up to these, smaller blocks with more loads
  std::size_t shared = 40 << 10;  ///< bytes, for the sums of a block
  int least_rounds = 2;           ///< of a block that shares an output
  /// Bytes of packs, from which no folding pays: of outputs of several groups, and along a reduced
  /// last axis.
  int own_bytes = 16, own_bytes_along = 8;
  struct {
    int threads, in_flight;
  } few = {256, 8}, many = {512, 4};
  /// With outputs for all blocks: threads of a block, packs of a thread, and packs of a block.
  int least_threads = 64, least_packs = 4, least_packs_of_block = 128;
};
constexpr FoldedTuning kFolded;

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
  const auto item = static_cast<std::int64_t>(problem.first_item());
  const bool is_short = has_runs && row->axes.back().extent * item < kFolded.short_run;
  const int own = is_short ? across : std::max(across, along);
  const bool has_axes = folded.groups > 1 || has_runs;
  if (!has_axes && row->length > kFolded.most_covered && covered_across(problem, across) > 0)
    return std::nullopt;
  const int own_bytes = has_runs && own > 1 ? kFolded.own_bytes_along : kFolded.own_bytes;
  if (folded.pack <= own || (has_axes && own * item >= own_bytes)) return std::nullopt;
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

}  // namespace kernelbatch
