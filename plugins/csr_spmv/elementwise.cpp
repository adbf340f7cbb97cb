// csr_spmv in the elementwise style: each element sums its row.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work elementwise(const CsrSpmv& in, Run& run) {
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "raw int32 indptr, raw int32 indices, raw T data, raw T x",
                                  .out = "T y",
                                  .operation = R"(
    T sum = 0;
    for (int k = indptr[i]; k < indptr[i + 1]; ++k) sum += data[k] * x[indices[k]];
    y = sum)",
                                  .name = "csr_spmv_elementwise"}};

  return [=](Stream& stream) { kernel(stream, indptr, indices, data, x, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "each element sums a row; the matrix as raw arrays", elementwise};

}  // namespace kernelbatch::workloads::csr_spmv
