// mse in the JIT style: function templates, compiled for the arrays that they are called with.
#include "core/kernel/jit.hpp"

#include "embedded.hpp"
#include "plugins/mse/mse.hpp"

namespace mse {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const std::int64_t blocks = 8 * run.device().properties().compute_units;
  const auto partial = run.scratch(in.y_true.dtype(), {blocks});
  const kernelbatch::JitOptions options{.constants = {{"BLOCK", kBlock}}};
  const kernelbatch::JitKernel squares{embedded::jit_cuh, "squares", options};
  const kernelbatch::JitKernel mean{embedded::jit_cuh, "mean", options};
  const kernelbatch::LaunchShape wide{.grid = {static_cast<std::uint32_t>(blocks)},
                                      .block = {kBlock}};
  const kernelbatch::LaunchShape one{.grid = {1}, .block = {kBlock}};

  run.measure([&] {
    squares(run.stream(), wide, y_true, y_pred, partial);
    mean(run.stream(), one, partial, out, static_cast<double>(in.y_true.size()));
  });
}

}  // namespace mse
