// clipped_relu as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ClippedRelu&>(problem);
  const auto kernel = kernelbatch::fuse(
      [&](auto x) { return kernelbatch::astype(minimum(maximum(x, 0), in.cap), in.x.dtype()); },
      "clipped_relu_fused");
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");

  run.measure([&] { kernel.into(run.stream(), {y}, x); });
}

}  // namespace clipped_relu
