// vector_add as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const auto kernel = kernelbatch::fuse([&](auto a, auto b) { return a + b; }, "vector_add_fused");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");

  run.measure([&] { kernel.into(run.stream(), {c}, a, b); });
}

}  // namespace vector_add
