// vector_add in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

static Work elementwise(const VectorAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const ElementwiseKernel kernel{
      {.in = "T a, T b", .out = "T c", .operation = "c = a + b", .name = "vector_add_elementwise"}};

  return [=](Stream& stream) { kernel(stream, a, b, c); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::vector_add
