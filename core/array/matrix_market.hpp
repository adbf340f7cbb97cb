// Reads matrices from Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html).
#pragma once

#include <filesystem>
#include <variant>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A sparse matrix in compressed sparse rows; host arrays.
struct CsrMatrix {
  std::int64_t rows = 0, columns = 0;
  Array indptr;   ///< int32 (rows + 1,): start of each row in the other two
  Array indices;  ///< int32 (entries,): columns, ascending within a row
  Array data;     ///< float64, int64 or complex128 (entries,)
};

/// Reads a file: `coordinate` gives a sparse matrix, `array` a dense one (rows, columns). Fields
/// real, integer, complex and pattern (ones of float64); symmetric, skew-symmetric and hermitian
/// matrices are completed; duplicate entries are added. Throws SpecError "<file>:<line>: …" for
/// malformed, out-of-range or missing data.
std::variant<CsrMatrix, Array> read_matrix_market(const std::filesystem::path& path);

}  // namespace kernelbatch
