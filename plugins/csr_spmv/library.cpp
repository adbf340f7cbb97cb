// csr_spmv by cuSPARSE, opened at run time.
#include "core/plugin/cusparse.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void library(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const CsrSpmv&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const auto product = kernelbatch::cusparse_product(run, in.matrix, x, y);

  run.measure(product);
}

}  // namespace csr_spmv
