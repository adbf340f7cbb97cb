// clipped_relu in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ClippedRelu&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{
      "T x, T cap", "T y", "y = x > T(0) ? (x < cap ? x : cap) : T(0)", "clipped_relu_elementwise"};

  run.measure([&] { kernel(run.stream(), x, in.cap, y); });
}

}  // namespace clipped_relu
