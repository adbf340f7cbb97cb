// diagonal_spmv on the CPU: each row's sum in a wider type.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

Work reference(const DiagonalSpmv& in, Run& run) { return multiply_on_cpu(in, run); }

}  // namespace kernelbatch::workloads::diagonal_spmv
