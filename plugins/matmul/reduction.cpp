// matmul as a reduction: A and B broadcast against each other, summed over k.
#include <string>

#include "core/kernel/reduction/kernel.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {

static Work reduction(const Matmul& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const DTypeInfo& sum_type = info(info(c.dtype()).accumulator);
  const ReductionKernel kernel{{.in = "T a, T b",
                                .out = "T c",
                                .map = "a * b",
                                .reduce = "a + b",
                                .post_map = "c = a",
                                .identity = "0",
                                .name = "matmul_reduction",
                                .options = {.reduce_type = std::string(sum_type.c_name)}}};
  const auto rows = a.reshape({in.m(), 1, in.k()});
  const int axes[] = {0, 2, 1};
  const auto columns = b.reshape({1, in.k(), in.n()}).transpose(axes);

  return [=](Stream& stream) { kernel.over({2})(stream, rows, columns, c); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum over k of A and B broadcast against each other", reduction};

}  // namespace kernelbatch::workloads::matmul
