// abs2 as an expression of arrays, fused into one kernel.
#include "core/kernel/fuse/fuse.hpp"
#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto kernel = kernelbatch::fuse(
      [&](auto z) { return real(z) * real(z) + imag(z) * imag(z); }, "abs2_fused");
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");

  run.measure([&] { kernel.into(run.stream(), {y}, z); });
}

}  // namespace abs2
