// Mapping of row-wise expressions to a device: which threads have which elements of a row.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Inputs of the choice of a schedule.
struct RowsProblem {
  std::int64_t rows = 1, length = 1;
  int pack = 1;  ///< neighbouring elements that one load of every array may bring
  /// The same if rows are not aligned but start at the same offset within a pack in all arrays:
  /// elements per pack at aligned addresses.
  int shifted_pack = 1;
  int kept = 4;                   ///< bytes of an element that a thread keeps: what reductions read
  int kept_words = 1;             ///< registers that it takes by itself
  int reductions = 1;             ///< of a row
  bool gives_rows = false;        ///< all results have one element per row
  bool takes_one_pass = false;    ///< one pass over a row computes all reductions
  bool has_exponentials = false;  ///< of each element
  /// Neighbouring rows are closer in memory than neighbouring elements of a row.
  bool rows_are_close = false;
  /// Bytes of shared memory for one element of all arrays if rows follow each other without gaps
  /// from an aligned address, so that many can pass through it at once; 0 otherwise.
  int staged = 0;
  int smallest = 4;           ///< size in bytes of the smallest array element
  bool has_bfloat16 = false;  ///< an array of them
  bool can_fetch = false;     ///< each pack that the first reductions read has 4, 8 or 16 bytes
};

/// Compile-time numbers of a kernel (fused_rows.cu.in).
struct RowsSchedule {
  int lanes = 1;   ///< threads of a row in one block
  int rows = 1;    ///< rows of a block at a time
  int blocks = 1;  ///< blocks that share a row: a cluster
  int pack = 1;    ///< neighbouring elements, loaded at once
  int items = 1;   ///< packs that a thread has at a time
  /// A thread's packs are its whole share of a row: memory is read once. Otherwise every phase
  /// reads the row again, `items` packs at a time.
  bool is_kept = false;
  /// Packs begin at aligned addresses; a row's first and last pack may contain elements of other
  /// rows.
  bool is_shifted = false;
  int sure = 0;             ///< packs that every thread has, complete except a row's first
  bool has_rest = false;    ///< the last rows do not fill their block
  std::int64_t length = 0;  ///< of a row if it is short: its text has the number; otherwise 0
  bool rows_are_close = false;
  /// Unaligned rows pass through shared memory, where the block loads them as one piece.
  bool is_staged = false;
  /// Blocks are so large that a unit has only one: while it processes a row, the next one is
  /// prefetched to shared memory.
  bool fetches_ahead = false;
  std::int64_t groups = 1;  ///< of rows that are processed together

  int threads() const noexcept { return lanes * rows; }
  std::int64_t members() const noexcept { return std::int64_t{lanes} * blocks; }
};

RowsSchedule schedule_rows(const RowsProblem& problem, const DeviceProperties& device);

}  // namespace kernelbatch
