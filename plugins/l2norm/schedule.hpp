// Work distribution of l2norm's handwritten kernels.
#pragma once

#include <optional>

#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

struct Schedule {
  static constexpr std::int64_t kBlock = 256;  ///< threads, unless a job tunes them

  enum class Kernel {
    kShortRows,  ///< `lanes` threads for each row
    kRows,       ///< a warp for each row
    kRowPieces,  ///< a block for each piece of a row
    kColumns     ///< a block for `tile` neighbouring loads in a piece of the rows
  };
  Kernel kernel = Kernel::kRows;
  std::int64_t width = 1;   ///< elements of a load: 16 bytes if all rows are aligned to 16
  std::int64_t lanes = 32;  ///< power of two, at most 32
  std::int64_t pieces = 1;  ///< sums of each norm; a second kernel adds up several
  std::int64_t tile = 1;
  std::int64_t blocks = 1;

  /// Number of neighbouring norms whose sums one block of the second kernel adds up: a power of
  /// two.
  std::int64_t neighbours = 1;
  std::int64_t blocks_of_roots = 1;
};

/// Choices of a job; 0: the best value on most GPUs.
struct Choices {
  std::int64_t block = Schedule::kBlock;  ///< threads: whole warps
  std::int64_t width = 0;                 ///< elements of a load
  std::int64_t lanes = 0;
  std::int64_t tile = 0;
  std::int64_t blocks_per_unit = 8;
  std::optional<Schedule::Kernel> of_rows = {};  ///< for sums along rows
};

Schedule schedule(const L2Norm& problem, int compute_units, const Choices& choices = {});

}  // namespace kernelbatch::workloads::l2norm
