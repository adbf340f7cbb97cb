// l2norm in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "embedded.hpp"
#include "plugins/l2norm/schedule.hpp"

namespace l2norm {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  using Kernel = Schedule::Kernel;
  const auto& in = static_cast<const L2Norm&>(problem);
  const Schedule s = schedule(in, run.device().properties().compute_units);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const std::string dtype(kernelbatch::name_of(in.x.dtype()));
  const std::string name = (s.kernel == Kernel::kShortRows   ? "short_rows_"
                            : s.kernel == Kernel::kRows      ? "rows_"
                            : s.kernel == Kernel::kRowPieces ? "row_pieces_"
                                                             : "columns_") +
                           dtype;
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name, "roots_" + dtype},
      {.name = "l2norm_raw"}};
  const auto squares = module.function(name);
  const auto roots = module.function("roots_" + dtype);
  const auto shape = [](std::int64_t blocks) {
    return kernelbatch::LaunchShape{.grid = {static_cast<std::uint32_t>(blocks)},
                                    .block = {Schedule::kBlock}};
  };
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const std::int64_t norms = norm.size();

  if (s.kernel == Kernel::kShortRows) {
    run.measure([&] {
      squares(run.stream(), shape(s.blocks), x, norm, norms, narrow(in.length), narrow(s.width),
              narrow(s.lanes));
    });
    return;
  }
  if (s.kernel == Kernel::kRows) {
    run.measure([&] {
      squares(run.stream(), shape(s.blocks), x, norm, norms, in.length, narrow(s.width));
    });
    return;
  }
  const auto parts = s.pieces == 1 ? norm : run.scratch(in.x.dtype(), {s.pieces, norms});
  run.measure([&] {
    if (s.kernel == Kernel::kRowPieces)
      squares(run.stream(), shape(s.blocks), x, parts, norms, in.length, narrow(s.width),
              narrow(s.pieces));
    else
      squares(run.stream(), shape(s.blocks), x, parts, norms, in.length, narrow(s.width),
              narrow(s.pieces), narrow(s.tile));
    if (s.pieces > 1)
      roots(run.stream(), shape(s.blocks_of_roots), parts, norm, norms, narrow(s.pieces),
            narrow(s.neighbours));
  });
}

}  // namespace l2norm
