// csr_spmv by cuSPARSE, opened at run time.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

Work library(const CsrSpmv& in, Run& run) { return multiply_by_cusparse(in, run); }

}  // namespace kernelbatch::workloads::csr_spmv
