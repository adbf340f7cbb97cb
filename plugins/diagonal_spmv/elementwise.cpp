// diagonal_spmv in the elementwise style: each element loops over the diagonals.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

static Work elementwise(const DiagonalSpmv& in, Run& run) {
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "raw int64 offsets, raw T diagonals, raw T x",
                                  .out = "T y",
                                  .operation = R"(
    T sum = 0;
    for (long long d = 0; d < offsets.size(); ++d) {
      const long long column = i + offsets[d];
      const T entry = diagonals[d * n + i];
      if (column >= 0 && column < x.size()) {
        const T term = entry * x[column];
        sum += entry != 0 ? term : T(0);
      }
    }
    y = sum)",
                                  .name = "diagonal_spmv_elementwise"}};

  return [=](Stream& stream) { kernel(stream, offsets, diagonals, x, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "each element walks the diagonals, x a raw array", elementwise};

}  // namespace kernelbatch::workloads::diagonal_spmv
