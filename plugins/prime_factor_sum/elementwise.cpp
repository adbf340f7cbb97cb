// prime_factor_sum in the elementwise style: each element is factorised by trial division.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {

static Work elementwise(const PrimeFactorSum&, Run& run) {
  const auto sums = run.output("sums");
  const ElementwiseKernel kernel{{.in = "",
                                  .out = "int64 sum",
                                  .operation = R"(
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
                                  .name = "prime_factor_sum_elementwise"}};

  return [=](Stream& stream) { kernel(stream, sums); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "trial division by 2 and odd numbers", elementwise};

}  // namespace kernelbatch::workloads::prime_factor_sum
