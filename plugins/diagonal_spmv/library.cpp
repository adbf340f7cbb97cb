// diagonal_spmv by cuSPARSE, opened at run time.
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

static Work library(const DiagonalSpmv& in, Run& run) { return multiply_by_cusparse(in, run); }
static const Variant kLibrary{"library", VariantKind::kLibrary, "cuSPARSE, from compressed rows",
                              library};

}  // namespace kernelbatch::workloads::diagonal_spmv
