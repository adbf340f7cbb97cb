// l2norm in the JIT style: the work distribution is given by constants of the kernels.
#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/l2norm/schedule.hpp"

namespace kernelbatch::workloads::l2norm {

static Work jit(const L2Norm& in, Run& run) {
  using Kernel = Schedule::Kernel;
  const Schedule s = schedule(in, run.device().properties().compute_units);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const auto kernel = [=](const char* name, std::int64_t lanes) {
    return JitKernel{embedded::jit_cuh,
                     name,
                     {.constants = {{"WIDTH", s.width}, {"LANES", lanes}, {"TILE", s.tile}}}};
  };
  const auto shape = [](std::int64_t blocks) {
    return LaunchShape{.grid = {static_cast<std::uint32_t>(blocks)}, .block = {Schedule::kBlock}};
  };

  if (s.kernel == Kernel::kShortRows) {
    const auto short_rows = kernel("short_rows", s.lanes);
    return [=, &in](Stream& stream) {
      short_rows(stream, shape(s.blocks), x, norm, static_cast<std::int32_t>(in.length));
    };
  }
  const auto parts = s.pieces == 1 ? norm.reshape({1, norm.size()})
                                   : run.scratch(in.x.dtype(), {s.pieces, norm.size()});
  const auto squares = kernel(s.kernel == Kernel::kColumns ? "column_squares" : "row_squares",
                              s.kernel == Kernel::kRows ? 32 : Schedule::kBlock);
  const std::int64_t lanes = s.pieces < Schedule::kBlock ? 32 : Schedule::kBlock;
  const auto roots = kernel("roots", lanes);
  const std::int64_t at_once = Schedule::kBlock / lanes;

  return [=, &in](Stream& stream) {
    squares(stream, shape(s.blocks), x, parts, in.length);
    if (s.pieces > 1) roots(stream, shape((norm.size() + at_once - 1) / at_once), parts, norm);
  };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "as raw, with widths and lanes as constants of the kernels", jit};

}  // namespace kernelbatch::workloads::l2norm
