// vector_add as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

static Work fused(const VectorAdd& in, Run& run) {
  const auto kernel = fuse([&](auto a, auto b) { return a + b; }, "vector_add_fused");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");

  return [=](Stream& stream) { kernel.into(stream, {c}, a, b); };
}
static const Variant kFused{"fused", VariantKind::kFused, "the expression in one kernel", fused};

}  // namespace kernelbatch::workloads::vector_add
