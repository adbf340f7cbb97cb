// How row-wise expressions are mapped to a device: which threads have which elements of a row.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace kernelbatch {

/// What a schedule is chosen for.
struct RowsProblem {
  std::int64_t rows = 1, length = 1;
  int pack = 1;  ///< neighbouring elements that one load of every array may bring
  int kept = 4;  ///< bytes of an element that a thread keeps: what reductions read
  /// Neighbouring rows lie closer together than neighbouring elements of one.
  bool rows_are_close = false;
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
  bool is_full = false;  ///< every thread has all of its packs
  bool rows_are_close = false;
  std::int64_t groups = 1;  ///< of rows that are processed together

  int threads() const noexcept { return lanes * rows; }
};

RowsSchedule schedule_rows(const RowsProblem& problem, const DeviceProperties& device);

}  // namespace kernelbatch
