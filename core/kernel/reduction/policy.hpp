// Mapping of a reduction to a device: which threads work on which output.
#pragma once

#include <cstdint>
#include <span>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/loops.hpp"

namespace kernelbatch {

/// Threads of a unit for which the texts of blocks that share outputs have registers: half of the
/// 2048 that a unit of sm_80, sm_90 and sm_100 may have.
constexpr int kSharingThreads = 1024;

/// Access pattern of the threads. Each pattern has its own policy that chooses the numbers below.
enum class ReductionPattern : std::uint8_t {
  kSequential,   ///< one thread has an output, or a tile of neighbouring ones
  kWarp,         ///< lanes of a warp along a row, workers with ranges of it
  kStagedRows,   ///< whole short rows through shared memory, each reduced by one or a few threads
  kBatchedRows,  ///< lanes along whole rows, several rows at once
  kColumns,      ///< neighbouring threads have neighbouring outputs, each one column
  /// The same where rows begin anywhere within a pack: a worker has the columns of its own packs.
  kShiftedColumns,
  kFoldedColumns,  ///< few columns: threads have packs of several rows that are processed as one
};

/// Compile-time and launch-time numbers of a reduction's kernel (see reduction*.cu.in). Unused ones
/// are 1.
struct ReductionSchedule {
  ReductionPattern pattern = ReductionPattern::kSequential;
  int lanes = 1;            ///< threads along one row
  int workers = 1;          ///< groups of lanes that share an output
  int outputs = 1;          ///< of a block at a time
  int across = 1;           ///< neighbouring outputs of one thread, loaded at once
  int pack = 1;             ///< neighbouring elements of one thread, loaded at once
  bool is_shifted = false;  ///< packs begin at the first aligned element of a row or slice
  /// Neighbouring elements of a row of several axes, which a warp reads in `cuts` parts; 1: packs
  /// are along the whole row.
  std::int64_t slice = 1, cuts = 1;
  /// Columns of a block with shifted ones, which also reads a pack of others; with folded ones,
  /// elements of a row.
  int columns = 1;
  int fold = 1;         ///< rows that are processed as one
  int kept = 1;         ///< outputs of such a row, or of a group of staged rows
  int run = 1;          ///< neighbouring elements of an output in rows of shifted columns
  bool covers = false;  ///< packs of outputs begin anywhere in aligned packs of the inputs
  int rows = 1;         ///< rows that a group of lanes has at once
  int streams = 1;      ///< independent ranges of one output in a thread
  int in_flight = 1;    ///< loads issued before the first is used
  int tile = 1;         ///< neighbouring outputs of one thread, as accumulators in its cache
  bool commutes = false;
  /// The text has registers for kSharingThreads threads of a unit, as if blocks shared outputs.
  bool has_registers = false;
  std::int64_t splits = 1;       ///< blocks that share one output
  std::int64_t split_count = 1;  ///< elements of one of them
  std::int64_t groups = 1;       ///< groups of outputs that are processed together
  std::int64_t blocks = 1;
  int threads() const noexcept { return lanes * workers * outputs; }
  bool outputs_fastest() const noexcept {
    return pattern == ReductionPattern::kColumns || pattern == ReductionPattern::kShiftedColumns;
  }
  /// Blocks that share an output take neighbouring tiles one after another, not a range each.
  bool takes_turns() const noexcept {
    return splits > 1 && commutes && pattern == ReductionPattern::kWarp;
  }
  /// Rows of shifted columns begin at different places within a pack.
  bool has_shifts() const noexcept {
    return pattern == ReductionPattern::kShiftedColumns && !covers && run == 1;
  }
  /// Blocks if each has only one group of outputs, or a part of one.
  std::int64_t most_blocks() const noexcept { return ceil_divide(groups, rows) * splits; }
  bool has_all_blocks() const noexcept { return blocks >= most_blocks(); }
  /// A thread reads all of its elements at once, of rows or columns of `count` elements; all
  /// threads have as many if they are not along rows of blocks.
  bool fits(std::int64_t count) const noexcept {
    if (pattern == ReductionPattern::kBatchedRows)
      return count == std::int64_t{lanes} * in_flight * pack;
    if (pattern == ReductionPattern::kColumns)
      return workers == 1 && splits == 1 && count == in_flight;
    return pattern == ReductionPattern::kWarp && commutes && splits == 1 && slice == 1 &&
           count <= std::int64_t{lanes} * workers * in_flight * pack;
  }
  bool stores_packs() const noexcept { return across > 1 && pattern == ReductionPattern::kColumns; }
  /// Elements of which a block that shares an output has a multiple.
  std::int64_t unit() const noexcept {
    if (pattern == ReductionPattern::kShiftedColumns) return std::int64_t{workers} * run;
    if (pattern == ReductionPattern::kFoldedColumns) return std::int64_t{fold} * (columns / kept);
    return std::int64_t{lanes} * pack;
  }
};

/// Transformations that a kernel's text permits.
struct ReductionFreedom {
  bool commutes = false;       ///< elements may be combined in any order
  bool joins_outputs = false;  ///< a thread may have several neighbouring outputs
  std::size_t bytes = 8;       ///< of a value that is reduced, at most, if `joins_outputs`
};

/// `arrays` are the looped inputs, then the outputs, in the order of the outer loop's strides; null
/// stands for the fictitious array of element numbers, if any. Depends only on the shape, the
/// layout and the device's properties: the same input on the same device is always combined in the
/// same order.
ReductionSchedule schedule_reduction(const ReductionLoops& loops, std::span<const Array> inputs,
                                     std::span<const Array* const> arrays,
                                     const ReductionFreedom& freedom,
                                     const DeviceProperties& device);

}  // namespace kernelbatch
