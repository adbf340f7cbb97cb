// Launch shapes of kernels that process rows.
#pragma once

#include "core/workload/launch.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

/// Elements per load: 16 bytes' worth if that divides the columns, and rows of x, z and y (unless
/// y's elements are repeated) are contiguous and aligned to 16 bytes; else 1. Arrays are (rows,
/// cols).
std::int64_t load_width(const Array& x, const Array& y, const Array& z);

/// Blocks of `threads`: along a row a power of two that covers its loads, at most `threads`;
/// `rows_of_thread` rows for each thread.
LaunchShape row_shape(std::int64_t rows, std::int64_t loads, std::int64_t rows_of_thread,
                      std::int64_t threads = 256);

}  // namespace kernelbatch::workloads::squared_diff
