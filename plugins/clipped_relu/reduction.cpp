// clipped_relu as a reduction: the maximum with identity 0 over an axis of length 1.
#include "core/kernel/reduction.hpp"

#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ClippedRelu&>(problem);
  const auto x = run.to_device(in.x).reshape({in.x.size(), 1});
  const auto y = run.output("y");
  const kernelbatch::ReductionKernel kernel{"T x, T cap",
                                            "T y",
                                            "x",
                                            "a > b ? a : b",
                                            "y = a < cap ? a : cap",
                                            "0",
                                            "clipped_relu_reduction"};

  run.measure([&] { kernel.over({1})(run.stream(), x, in.cap, y); });
}

}  // namespace clipped_relu
