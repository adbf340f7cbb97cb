// add_reverse in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/add_reverse/add_reverse.hpp"

namespace add_reverse {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const AddReverse&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const kernelbatch::ElementwiseKernel kernel{"T x, raw T y", "T z", "z = x + y[n - 1 - i]",
                                              "add_reverse_elementwise"};

  run.measure([&] { kernel(run.stream(), x, y, z); });
}

}  // namespace add_reverse
