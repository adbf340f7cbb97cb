// l2norm in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/l2norm/l2norm.hpp"

namespace l2norm {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const L2Norm&>(problem);
  const auto x = run.to_device(in.x);
  const auto norm = run.output("norm");
  const std::int64_t norms = in.outer * in.inner;
  const bool along_rows = in.inner == 1;
  const std::int64_t pieces =
      along_rows
          ? kernelbatch::pieces_of_sum(run.device().properties(), norms, in.length, 8, 8192)
          : kernelbatch::pieces_of_sum(run.device().properties(), norms, in.length, 2048, 64);
  const std::string dtype(kernelbatch::name_of(in.x.dtype()));
  const std::string name = (in.has_short_rows() ? "short_rows_"
                            : along_rows        ? "row_squares_"
                                                : "column_squares_") +
                           dtype;
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name, "roots_" + dtype},
      {.name = "l2norm_raw"}};
  const auto squares = module.function(name);
  if (in.has_short_rows()) {
    const std::int64_t bytes =
        in.length * static_cast<std::int64_t>(kernelbatch::size_of(in.x.dtype()));
    const std::int64_t lanes = kernelbatch::lanes_of_row(bytes % 16 == 0 ? bytes / 16 : in.length);
    const auto shape = kernelbatch::loop_shape(norms * lanes);
    run.measure([&] {
      squares(run.stream(), shape, x, norm, norms, in.length, static_cast<std::int32_t>(lanes));
    });
    return;
  }
  const auto parts = run.scratch(in.x.dtype(), {pieces, norms});
  const kernelbatch::LaunchShape blocks{.grid = kernelbatch::loop_shape(norms * pieces, 1).grid,
                                        .block = {256}};
  const kernelbatch::LaunchShape shape =
      along_rows ? blocks : kernelbatch::loop_shape(norms * pieces);
  const auto roots = module.function("roots_" + dtype);

  run.measure([&] {
    squares(run.stream(), shape, x, parts, norms, in.length, pieces);
    roots(run.stream(), kernelbatch::loop_shape(norms), parts, norm, norms, pieces);
  });
}

}  // namespace l2norm
