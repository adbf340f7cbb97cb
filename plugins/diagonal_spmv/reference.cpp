// diagonal_spmv on the CPU: each row's sum in a wider type.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace diagonal_spmv {

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  kernelbatch::multiply_on_cpu(static_cast<const DiagonalSpmv&>(problem), run);
}

}  // namespace diagonal_spmv
