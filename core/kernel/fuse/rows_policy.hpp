// How row-wise expressions are mapped to a device: which threads have which elements of a row.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace kernelbatch {

/// What a schedule is chosen for.
struct RowsProblem {
  std::int64_t rows = 1, length = 1;
  int pack = 1;  ///< neighbouring elements that one load of every array may bring
  /// The same where rows begin anywhere, all arrays' at the same place of a pack: what packs at
  /// aligned addresses hold.
  int shifted_pack = 1;
  int kept = 4;             ///< bytes of an element that a thread keeps: what reductions read
  int kept_words = 1;       ///< registers that it takes alone
  bool gives_rows = false;  ///< all results have one element per row
  /// Neighbouring rows lie closer together than neighbouring elements of one.
  bool rows_are_close = false;
  /// Bytes of one element of all arrays, where rows follow each other without gaps from an aligned
  /// address on, so that many may pass through shared memory at once; 0 otherwise.
  int staged = 0;
  int smallest = 4;        ///< bytes of an element of the array of the smallest
  bool can_fetch = false;  ///< each pack that the first reductions read has 4, 8 or 16 bytes
};

/// Compile-time numbers of a kernel (fused_rows.cu.in).
struct RowsSchedule {
  int lanes = 1;   ///< threads of a row in one block
  int rows = 1;    ///< rows of a block at a time
  int blocks = 1;  ///< that share a row: a cluster
  int pack = 1;    ///< neighbouring elements, loaded at once
  int items = 1;   ///< packs that a thread has at a time
  /// A thread's packs are its whole share of a row: memory is read once. Else every phase reads
  /// the row again, `items` packs at a time.
  bool is_kept = false;
  /// Packs begin at aligned addresses, whose first and last of a row hold elements of others, too.
  bool is_shifted = false;
  int sure = 0;           ///< packs that every thread has, whole ones but for a row's first
  bool has_rest = false;  ///< the last rows do not fill their block
  bool rows_are_close = false;
  /// Rows that begin at no pack pass through shared memory, where the block loads them as one.
  bool is_staged = false;
  /// Blocks so large that a unit has one: while it processes a row, the next one comes into shared
  /// memory.
  bool fetches_ahead = false;
  std::int64_t groups = 1;  ///< of rows that are processed together

  int threads() const noexcept { return lanes * rows; }
  std::int64_t members() const noexcept { return std::int64_t{lanes} * blocks; }
};

RowsSchedule schedule_rows(const RowsProblem& problem, const DeviceProperties& device);

}  // namespace kernelbatch
