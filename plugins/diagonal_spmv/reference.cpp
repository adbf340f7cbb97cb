// diagonal_spmv on the CPU: each row's sum in a wider type.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

static Work reference(const DiagonalSpmv& in, Run& run) { return multiply_on_cpu(in, run); }
static const Variant kReference{"reference", VariantKind::kReference,
                                "from compressed rows, long double sums on all cores", reference};

}  // namespace kernelbatch::workloads::diagonal_spmv
