// sin_exp in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace sin_exp {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SinExp&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  // Elements of 16 bytes: arrays begin at a multiple of that.
  const std::int64_t width = 16 / static_cast<std::int64_t>(kernelbatch::size_of(y.dtype()));
  const kernelbatch::JitKernel kernel{
      embedded::jit_cuh,
      "sin_exp",
      {.constants = {{"WIDTH", width}, {"ITEMS", run.params().integer("items_per_thread")}}}};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size() / width);

  run.measure([&] { kernel(run.stream(), shape, x, y); });
}

}  // namespace sin_exp
