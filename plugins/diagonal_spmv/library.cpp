// diagonal_spmv by cuSPARSE, opened at run time.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

Work library(const DiagonalSpmv& in, Run& run) { return multiply_by_cusparse(in, run); }

}  // namespace kernelbatch::workloads::diagonal_spmv
