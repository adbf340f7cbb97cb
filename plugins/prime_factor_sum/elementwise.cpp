// prime_factor_sum in the elementwise style: each element is factorised by trial division.
#include "core/kernel/elementwise.hpp"

#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace prime_factor_sum {

void elementwise(const kernelbatch::Problem&, kernelbatch::Run& run) {
  const auto sums = run.output("sums");
  const kernelbatch::ElementwiseKernel kernel{"", "int64 sum",
                                              R"(
    unsigned number = static_cast<unsigned>(i) + 2;
    unsigned total = 0;
    while (number % 2 == 0) {
      number /= 2;
      total += 2;
    }
    for (unsigned p = 3; p * p <= number; p += 2) {
      while (number % p == 0) {
        number /= p;
        total += p;
      }
    }
    if (number > 1) total += number;
    sum = total)",
                                              "prime_factor_sum_elementwise"};

  run.measure([&] { kernel(run.stream(), sums); });
}

}  // namespace prime_factor_sum
