// l2norm in plain CUDA, precompiled unless a job tunes it.
#include <string>
#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/l2norm/schedule.hpp"
#include "plugins/l2norm/tuning.hpp"

namespace kernelbatch::workloads::l2norm {

static Work raw(const L2Norm& in, Run& run) {
  using Kernel = Schedule::Kernel;
  const Tuning tuning = tuning_of(in, run);
  const Schedule s = schedule(in, run.device().properties().compute_units, tuning.choices);
  const std::vector<std::string> options = options_of(in, s, tuning);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const std::string dtype(name_of(in.x.dtype()));
  const std::string name = (s.kernel == Kernel::kShortRows   ? "short_rows_"
                            : s.kernel == Kernel::kRows      ? "rows_"
                            : s.kernel == Kernel::kRowPieces ? "row_pieces_"
                                                             : "columns_") +
                           dtype;
  const bool is_ahead = options.empty();
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, is_ahead ? embedded::raw_cu_fatbin : ""},
      {name, "roots_" + dtype},
      {.options = options, .name = is_ahead ? "l2norm_raw" : "l2norm_raw_tuned"}};
  const auto squares = module.function(name);
  const auto roots = module.function("roots_" + dtype);
  const auto shape = [](std::int64_t blocks, std::int64_t block) {
    return LaunchShape{.grid = {static_cast<std::uint32_t>(blocks)},
                       .block = {static_cast<std::uint32_t>(block)}};
  };
  const LaunchShape wide = shape(s.blocks, tuning.choices.block);
  const LaunchShape of_roots = shape(s.blocks_of_roots, Schedule::kBlock);
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const std::int64_t norms = norm.size();

  if (s.kernel == Kernel::kShortRows) {
    return [=, &in](Stream& stream) {
      squares(stream, wide, x, norm, norms, narrow(in.length), narrow(s.width), narrow(s.lanes));
    };
  }
  if (s.kernel == Kernel::kRows) {
    return [=, &in](Stream& stream) {
      squares(stream, wide, x, norm, norms, in.length, narrow(s.width));
    };
  }
  const auto parts = s.pieces == 1 ? norm : run.scratch(in.x.dtype(), {s.pieces, norms});
  return [=, &in](Stream& stream) {
    if (s.kernel == Kernel::kRowPieces)
      squares(stream, wide, x, parts, norms, in.length, narrow(s.width), narrow(s.pieces));
    else
      squares(stream, wide, x, parts, norms, in.length, narrow(s.width), narrow(s.pieces),
              narrow(s.tile));
    if (s.pieces > 1)
      roots(stream, of_roots, parts, norm, norms, narrow(s.pieces), narrow(s.neighbours));
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "16-byte loads; lanes, warps or blocks for a row, blocks for columns "
                          "side by side; then their sums",
                          raw};

}  // namespace kernelbatch::workloads::l2norm
