// csr_spmv by cuSPARSE, opened at run time.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void library(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  kernelbatch::multiply_by_cusparse(static_cast<const CsrSpmv&>(problem), run);
}

}  // namespace csr_spmv
