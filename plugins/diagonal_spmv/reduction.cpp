// diagonal_spmv as a reduction over the diagonals.
#include "core/kernel/reduction.hpp"

#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace diagonal_spmv {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const DiagonalSpmv&>(problem);
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const auto offset = offsets.reshape({in.offsets.size(), 1});
  const kernelbatch::ReductionKernel kernel{
      "T diagonal, int64 offset, raw T x",
      "T y",
      "_i + offset >= 0 && _i + offset < x.size() ? diagonal * x[_i + offset] : T(0)",
      "a + b",
      "y = a",
      "0",
      "diagonal_spmv_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), diagonals, offset, x, y); });
}

}  // namespace diagonal_spmv
