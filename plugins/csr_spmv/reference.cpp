// csr_spmv on the CPU: each row's sum in a wider type.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  kernelbatch::multiply_on_cpu(static_cast<const CsrSpmv&>(problem), run);
}

}  // namespace csr_spmv
