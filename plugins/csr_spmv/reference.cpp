// csr_spmv on the CPU: each row's sum in a wider type.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work reference(const CsrSpmv& in, Run& run) { return multiply_on_cpu(in, run); }
static const Variant kReference{"reference", VariantKind::kReference,
                                "long double sums on all cores", reference};

}  // namespace kernelbatch::workloads::csr_spmv
