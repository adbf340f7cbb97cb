// add_reverse as a reduction: the sum of the two terms of each element.
#include "core/kernel/reduction.hpp"

#include "core/array/random.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace add_reverse {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const AddReverse&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto term = run.to_device(kernelbatch::arange(kernelbatch::DType::kInt32, {2, 1}));
  const auto z = run.output("z");
  const kernelbatch::ReductionKernel kernel{"T x, int32 term, raw T y",
                                            "T z",
                                            "term == 0 ? x : y[_out_ind.size() - 1 - _i]",
                                            "a + b",
                                            "z = a",
                                            "0",
                                            "add_reverse_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), x, term, y, z); });
}

}  // namespace add_reverse
