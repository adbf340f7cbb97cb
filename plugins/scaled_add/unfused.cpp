// scaled_add as two array operations, each with its own pass over memory.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work unfused(const ScaledAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const auto sum = run.scratch(in.a.dtype(), in.a.shape());
  const ElementwiseKernel add{
      {.in = "T a, T b", .out = "T sum", .operation = "sum = a + b", .name = "scaled_add_sum"}};
  const ElementwiseKernel multiply{{.in = "T sum, T scale",
                                    .out = "T out",
                                    .operation = "out = sum * scale",
                                    .name = "scaled_add_scale"}};

  return [=, &in](Stream& stream) {
    add(stream, a, b, sum);
    multiply(stream, sum, in.scale, out);
  };
}
static const Variant kUnfused{"unfused", VariantKind::kUnfused,
                              "an addition, then a multiplication", unfused};

}  // namespace kernelbatch::workloads::scaled_add
