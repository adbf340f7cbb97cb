// diagonal_spmv by cuSPARSE, opened at run time.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace diagonal_spmv {

void library(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  kernelbatch::multiply_by_cusparse(static_cast<const DiagonalSpmv&>(problem), run);
}

}  // namespace diagonal_spmv
