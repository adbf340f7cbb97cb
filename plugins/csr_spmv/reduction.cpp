// csr_spmv as a reduction over the length of the longest row; shorter rows are padded with zeros.
#include <algorithm>

#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work reduction(const CsrSpmv& in, Run& run) {
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::int64_t longest = std::max<std::int64_t>(in.longest_row, 1);
  const auto place = run.to_device(arange(DType::kInt32, {1, longest}));
  const auto first = indptr.slice(0, 0, in.matrix.rows, 1).reshape({in.matrix.rows, 1});
  const auto last = indptr.slice(0, 1, in.matrix.rows, 1).reshape({in.matrix.rows, 1});
  const ReductionKernel kernel{
      {.in = "int32 first, int32 last, int32 place, raw int32 indices, raw T data, raw T x",
       .out = "T y",
       .map = "first + place < last ? data[first + place] * x[indices[first + place]] : T(0)",
       .reduce = "a + b",
       .post_map = "y = a",
       .identity = "0",
       .name = "csr_spmv_reduction"}};

  return [=](Stream& stream) { kernel.over({1})(stream, first, last, place, indices, data, x, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "segmented: over as many places as the longest row has", reduction};

}  // namespace kernelbatch::workloads::csr_spmv
