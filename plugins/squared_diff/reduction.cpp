// squared_diff as a reduction: the product over its two equal factors.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work reduction(const SquaredDiff& in, Run& run) {
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto factor = run.to_device(arange(DType::kInt32, {2, 1, 1}));
  const ReductionKernel kernel{{.in = "T x, T y, int32 factor",
                                .out = "T z",
                                .map = "x - y",
                                .reduce = "a * b",
                                .post_map = "z = a",
                                .identity = "1",
                                .name = "squared_diff_reduction"}};

  return [=](Stream& stream) { kernel.over({0})(stream, x, y, factor, z); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "product over the two equal factors x - y", reduction};

}  // namespace kernelbatch::workloads::squared_diff
