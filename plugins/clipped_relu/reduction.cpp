// clipped_relu as a reduction: the maximum with identity 0 over an axis of length 1.
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work reduction(const ClippedRelu& in, Run& run) {
  const auto x = run.to_device(in.x).reshape({in.x.size(), 1});
  const auto y = run.output("y");
  const ReductionKernel kernel{{.in = "T x, T cap",
                                .out = "T y",
                                .map = "x",
                                .reduce = "a > b || a != a ? a : b",
                                .post_map = "y = a > cap ? cap : a",
                                .identity = "0",
                                .name = "clipped_relu_reduction"}};

  return [=, &in](Stream& stream) { kernel.over({1})(stream, x, in.cap, y); };
}
static const Variant kReduction{
    "reduction", VariantKind::kReduction,
    "maximum over an axis of length 1 with identity 0, capped in the post-map", reduction};

}  // namespace kernelbatch::workloads::clipped_relu
