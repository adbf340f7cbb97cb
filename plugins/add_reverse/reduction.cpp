// add_reverse as a reduction: the sum of the two terms of each element.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

static Work reduction(const AddReverse& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto term = run.to_device(arange(DType::kInt32, {2, 1}));
  const auto z = run.output("z");
  const ReductionKernel kernel{{.in = "T x, int32 term, raw T y",
                                .out = "T z",
                                .map = "term == 0 ? x : y[_out_ind.size() - 1 - _i]",
                                .reduce = "a + b",
                                .post_map = "z = a",
                                .identity = "0",
                                .name = "add_reverse_reduction"}};

  return [=](Stream& stream) { kernel.over({0})(stream, x, term, y, z); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum of the two terms, y a raw array", reduction};

}  // namespace kernelbatch::workloads::add_reverse
