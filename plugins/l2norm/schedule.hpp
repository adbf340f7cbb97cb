// How the kernels of l2norm that are written by hand share the work.
#pragma once

#include "plugins/l2norm/l2norm.hpp"

namespace kernelbatch::workloads::l2norm {

struct Schedule {
  static constexpr std::int64_t kBlock = 256;  ///< threads

  enum class Kernel {
    kShortRows,  ///< `lanes` threads for each row
    kRows,       ///< a warp for each row
    kRowPieces,  ///< a block for each piece of a row
    kColumns     ///< a block for `tile` loads side by side in a piece of the rows
  };
  Kernel kernel = Kernel::kRows;
  std::int64_t width = 1;   ///< elements of a load: 16 bytes where every row begins at 16 bytes
  std::int64_t lanes = 32;  ///< power of two, at most 32
  std::int64_t pieces = 1;  ///< sums of each norm; more than one are added up by a second kernel
  std::int64_t tile = 1;
  std::int64_t blocks = 1;

  /// Neighbouring norms whose sums a block of the second kernel adds up: a power of two.
  std::int64_t neighbours = 1;
  std::int64_t blocks_of_roots = 1;
};

Schedule schedule(const L2Norm& problem, int compute_units);

}  // namespace kernelbatch::workloads::l2norm
