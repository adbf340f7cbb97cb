// copy as a reduction over an axis of length 1.
#include "core/kernel/reduction.hpp"

#include "plugins/copy/copy.hpp"

namespace copy {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Copy&>(problem);
  const auto x = run.to_device(in.x).reshape({in.x.size(), 1});
  const auto y = run.output("y");
  const kernelbatch::ReductionKernel kernel{"T x", "T y",           "x", "a + b", "y = a",
                                            "0",   "copy_reduction"};

  run.measure([&] { kernel.over({1})(run.stream(), x, y); });
}

}  // namespace copy
