// sin_exp as a reduction: the product over two factors of each element.
#include "core/kernel/reduction.hpp"

#include "core/array/random.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace sin_exp {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SinExp&>(problem);
  const auto x = run.to_device(in.x);
  const auto factor = run.to_device(kernelbatch::arange(kernelbatch::DType::kInt32, {2, 1}));
  const auto y = run.output("y");
  const kernelbatch::ReductionKernel kernel{
      "T x, int32 factor", "T y", "factor == 0 ? sin(x) : exp(-x * x)", "a * b", "y = a", "1",
      "sin_exp_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), x, factor, y); });
}

}  // namespace sin_exp
