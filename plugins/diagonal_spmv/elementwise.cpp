// diagonal_spmv in the elementwise style: each element walks the diagonals.
#include "core/kernel/elementwise.hpp"

#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace diagonal_spmv {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const DiagonalSpmv&>(problem);
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{"raw int64 offsets, raw T diagonals, raw T x", "T y",
                                              R"(
    T sum = 0;
    for (long long d = 0; d < offsets.size(); ++d) {
      const long long column = i + offsets[d];
      if (column >= 0 && column < x.size()) sum += diagonals[d * n + i] * x[column];
    }
    y = sum)",
                                              "diagonal_spmv_elementwise"};

  run.measure([&] { kernel(run.stream(), offsets, diagonals, x, y); });
}

}  // namespace diagonal_spmv
