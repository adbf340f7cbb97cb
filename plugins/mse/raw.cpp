// mse in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "embedded.hpp"
#include "plugins/mse/mse.hpp"

namespace mse {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  constexpr std::uint32_t kBlock = 512;
  const auto& in = static_cast<const Mse&>(problem);
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const int blocks = static_cast<int>(run.params().integer("blocks_per_unit")) *
                     run.device().properties().compute_units;
  const auto partial = run.scratch(in.y_true.dtype(), {blocks});
  const std::string dtype(kernelbatch::name_of(in.y_true.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {"squares_" + dtype, "mean_" + dtype},
      {.name = "mse_raw"}};
  const auto squares = module.function("squares_" + dtype);
  const auto mean = module.function("mean_" + dtype);
  const kernelbatch::LaunchShape wide{.grid = {static_cast<std::uint32_t>(blocks)},
                                      .block = {kBlock}};
  const kernelbatch::LaunchShape one{.grid = {1}, .block = {kBlock}};
  const auto n = in.y_true.size();

  run.measure([&] {
    squares(run.stream(), wide, y_true, y_pred, partial, n);
    mean(run.stream(), one, partial, blocks, out, static_cast<double>(n));
  });
}

}  // namespace mse
