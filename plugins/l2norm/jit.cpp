// l2norm in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace l2norm {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const L2Norm&>(problem);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const std::int64_t norms = in.outer * in.inner;
  if (in.has_short_rows()) {
    const kernelbatch::JitKernel short_rows{embedded::jit_cuh, "short_rows"};
    const std::int64_t lanes = kernelbatch::lanes_of_row(in.length);
    const auto shape = kernelbatch::loop_shape(norms * lanes);
    run.measure([&] {
      short_rows(run.stream(), shape, x, norm, in.length, static_cast<std::int32_t>(lanes));
    });
    return;
  }
  const bool along_rows = in.inner == 1;
  const std::int64_t pieces =
      along_rows
          ? kernelbatch::pieces_of_sum(run.device().properties(), norms, in.length, 8, 8192)
          : kernelbatch::pieces_of_sum(run.device().properties(), norms, in.length, 2048, 64);
  const auto parts = run.scratch(in.x.dtype(), {pieces, norms});
  const kernelbatch::LaunchShape blocks{.grid = kernelbatch::loop_shape(norms * pieces, 1).grid,
                                        .block = {256}};
  const kernelbatch::LaunchShape shape =
      along_rows ? blocks : kernelbatch::loop_shape(norms * pieces);
  const kernelbatch::JitKernel squares{embedded::jit_cuh,
                                       along_rows ? "row_squares" : "column_squares"};
  const kernelbatch::JitKernel roots{embedded::jit_cuh, "roots"};

  run.measure([&] {
    squares(run.stream(), shape, x, parts, in.length);
    roots(run.stream(), kernelbatch::loop_shape(norms), parts, norm);
  });
}

}  // namespace l2norm
