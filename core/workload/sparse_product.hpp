// y = A·x with a sparse A: common parts of the workloads that compute it, for any storage format of
// A.
#pragma once

#include <functional>

#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Has the output "y" of shape (rows,), verified by the rounding bound of each row's sum.
struct SparseProduct : Problem {
  CsrMatrix matrix;              ///< data of float32 or float64
  Array x;                       ///< shape (columns,), the dtype of the matrix's data
  std::int64_t longest_row = 0;  ///< entries
  Array absolute_sums;           ///< Σ|a·x| of each row

  /// Fills all of the above: the job's inputs "A" and "x", else a generated matrix and numbers
  /// uniform in [-1, 1). Throws SpecError naming the workload if they do not fit together.
  void take(Inputs& inputs, std::string_view workload, DType dtype,
            const std::function<CsrMatrix()>& generate);
  std::vector<OutputArray> outputs() const override;

 private:
  void find_bounds();
};

/// The product on the CPU, each row's sum in long double, on all cores.
Work multiply_on_cpu(const SparseProduct& product, Run& run);
/// The product by cuSPARSE, from compressed rows. Throws UnsupportedError if cuSPARSE is missing.
Work multiply_by_cusparse(const SparseProduct& product, Run& run);

}  // namespace kernelbatch
