// csr_spmv in the elementwise style: each element sums its row.
#include "core/kernel/elementwise.hpp"

#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const CsrSpmv&>(problem);
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{
      "raw int32 indptr, raw int32 indices, raw T data, raw T x", "T y", R"(
    T sum = 0;
    for (int k = indptr[i]; k < indptr[i + 1]; ++k) sum += data[k] * x[indices[k]];
    y = sum)",
      "csr_spmv_elementwise"};

  run.measure([&] { kernel(run.stream(), indptr, indices, data, x, y); });
}

}  // namespace csr_spmv
