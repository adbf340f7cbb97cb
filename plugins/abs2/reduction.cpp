// abs2 as a reduction over the axis (re, im).
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work reduction(const Abs2& in, Run& run) {
  const auto z = run.to_device(in.z);
  const Array parts =
      Array::of_memory(z.data(), in.outputs()[0].dtype, {in.z.size(), 2}, &run.device());
  const auto y = run.output("y");
  const ReductionKernel kernel{{.in = "T part",
                                .out = "T y",
                                .map = "part * part",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "abs2_reduction"}};

  // `parts` is a view that does not own its memory, so the work captures z too.
  return [z, parts, y, kernel](Stream& stream) { kernel.over({1})(stream, parts, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum of squares over the axis (re, im)", reduction};

}  // namespace kernelbatch::workloads::abs2
