// matmul as a reduction: A and B broadcast against each other, summed over k.
#include "core/kernel/reduction.hpp"

#include "plugins/matmul/matmul.hpp"

namespace matmul {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Matmul&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const kernelbatch::ReductionKernel kernel{"T a, T b", "T c", "a * b",           "a + b",
                                            "c = a",    "0",   "matmul_reduction"};
  const auto rows = a.reshape({in.m(), 1, in.k()});
  const int axes[] = {0, 2, 1};
  const auto columns = b.reshape({1, in.k(), in.n()}).transpose(axes);

  run.measure([&] { kernel.over({2})(run.stream(), rows, columns, c); });
}

}  // namespace matmul
