// clipped_relu in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace clipped_relu {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ClippedRelu&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  // Elements of 16 bytes: arrays begin at a multiple of that.
  const std::int64_t width = 16 / static_cast<std::int64_t>(kernelbatch::size_of(y.dtype()));
  const kernelbatch::JitKernel kernel{
      embedded::jit_cuh,
      "clipped_relu",
      {.constants = {{"WIDTH", width}, {"ITEMS", run.params().integer("items_per_thread")}}}};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size() / width);

  run.measure([&] { kernel(run.stream(), shape, x, y, in.cap); });
}

}  // namespace clipped_relu
