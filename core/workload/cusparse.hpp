// A sparse matrix times a vector through cuSPARSE.
#pragma once

#include "core/array/matrix_market.hpp"
#include "core/workload/run.hpp"

namespace kernelbatch {

/// Work that queues y = A·x on the run's stream 0: A (data of float32 or float64) is copied to the
/// device here; x and y are device arrays of the dtype of A's data. Throws UnsupportedError if
/// cuSPARSE is missing.
Work cusparse_product(Run& run, const CsrMatrix& matrix, const Array& x, const Array& y);

}  // namespace kernelbatch
