// scaled_add as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const auto kernel =
      kernelbatch::fuse([&](auto a, auto b) { return (a + b) * in.scale; }, "scaled_add_fused");
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");

  run.measure([&] { kernel.into(run.stream(), {out}, a, b); });
}

}  // namespace scaled_add
