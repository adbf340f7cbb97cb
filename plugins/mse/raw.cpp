// mse in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {

static Work raw(const Mse& in, Run& run) {
  constexpr std::uint32_t kBlock = 512;
  const auto y_true = run.to_device(in.y_true);
  const auto y_pred = run.to_device(in.y_pred);
  const auto out = run.output("mse");
  const int blocks = static_cast<int>(run.params().integer("blocks_per_unit")) *
                     run.device().properties().compute_units;
  const auto partial = run.scratch(in.y_true.dtype(), {blocks});
  const std::string dtype(name_of(in.y_true.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"squares_" + dtype, "mean_" + dtype},
                         {.name = "mse_raw"}};
  const auto squares = module.function("squares_" + dtype);
  const auto mean = module.function("mean_" + dtype);
  const LaunchShape wide{.grid = {static_cast<std::uint32_t>(blocks)}, .block = {kBlock}};
  const LaunchShape one{.grid = {1}, .block = {kBlock}};
  const auto n = in.y_true.size();

  return [=](Stream& stream) {
    squares(stream, wide, y_true, y_pred, partial, n);
    mean(stream, one, partial, blocks, out, static_cast<double>(n));
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "16-byte loads, warp shuffles, then one block over the partial sums",
                          raw};

}  // namespace kernelbatch::workloads::mse
