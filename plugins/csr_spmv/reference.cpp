// csr_spmv on the CPU: each row's sum in a wider type.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

Work reference(const CsrSpmv& in, Run& run) { return multiply_on_cpu(in, run); }

}  // namespace kernelbatch::workloads::csr_spmv
