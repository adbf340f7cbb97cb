// csr_spmv by cuSPARSE, opened at run time.
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work library(const CsrSpmv& in, Run& run) { return multiply_by_cusparse(in, run); }
static const Variant kLibrary{"library", VariantKind::kLibrary, "cuSPARSE", library};

}  // namespace kernelbatch::workloads::csr_spmv
