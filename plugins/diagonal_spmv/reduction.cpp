// diagonal_spmv as a reduction over the diagonals.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

constexpr const char* kKept =
    "template <class T> __device__ T kept(T entry, T term) { return entry != T(0) ? term : T(0); }";

static Work reduction(const DiagonalSpmv& in, Run& run) {
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const auto offset = offsets.reshape({in.offsets.size(), 1});
  const ReductionKernel kernel{{.in = "T diagonal, int64 offset, raw T x",
                                .out = "T y",
                                .map = "_i + offset >= 0 && _i + offset < x.size() ? "
                                       "kept(diagonal, diagonal * x[_i + offset]) : T(0)",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "diagonal_spmv_reduction",
                                .options = {.preamble = kKept}}};

  return [=](Stream& stream) { kernel.over({0})(stream, diagonals, offset, x, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "over the diagonals, x a raw array", reduction};

}  // namespace kernelbatch::workloads::diagonal_spmv
