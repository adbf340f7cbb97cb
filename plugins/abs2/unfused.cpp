// abs2 as two array operations: the modulus, then its square.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work unfused(const Abs2& in, Run& run) {
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const auto modulus = run.scratch(y.dtype(), y.shape());
  const ElementwiseKernel moduli{
      {.in = "Z z", .out = "T modulus", .operation = "modulus = abs(z)", .name = "abs2_modulus"}};
  const ElementwiseKernel squares{{.in = "T modulus",
                                   .out = "T y",
                                   .operation = "y = modulus * modulus",
                                   .name = "abs2_square"}};

  return [=](Stream& stream) {
    moduli(stream, z, modulus);
    squares(stream, modulus, y);
  };
}
static const Variant kUnfused{"unfused", VariantKind::kUnfused, "the modulus, then its square",
                              unfused};

}  // namespace kernelbatch::workloads::abs2
