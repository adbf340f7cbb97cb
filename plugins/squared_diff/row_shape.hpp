// How kernels that go by rows are launched.
#pragma once

#include "core/workload/launch.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

/// Elements of a load: as many as 16 bytes have where that divides the columns and rows of x, z and
/// y, unless y's elements are repeated, lie in one piece that begins at 16 bytes; else 1. Arrays
/// are (rows, cols).
std::int64_t load_width(const Array& x, const Array& y, const Array& z);

/// At most `threads`, as many of them side by side as a row has loads, a power of two unless that
/// is all of them; `rows_of_thread` rows for each.
LaunchShape row_shape(std::int64_t rows, std::int64_t loads, std::int64_t rows_of_thread,
                      std::int64_t threads = 256);

}  // namespace kernelbatch::workloads::squared_diff
