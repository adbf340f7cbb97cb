// copy in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/copy/copy.hpp"

namespace copy {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Copy&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{"T x", "T y", "y = x", "copy_elementwise"};

  run.measure([&] { kernel(run.stream(), x, y); });
}

}  // namespace copy
