// abs2 as a reduction over the axis (re, im).
#include "core/kernel/reduction.hpp"

#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto z = run.to_device(in.z);
  const kernelbatch::Array parts = kernelbatch::Array::of_memory(z.data(), in.outputs()[0].dtype,
                                                                 {in.z.size(), 2}, &run.device());
  const auto y = run.output("y");
  const kernelbatch::ReductionKernel kernel{"T part", "T y", "part * part",   "a + b",
                                            "y = a",  "0",   "abs2_reduction"};

  run.measure([&] { kernel.over({1})(run.stream(), parts, y); });
}

}  // namespace abs2
