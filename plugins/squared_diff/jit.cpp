// squared_diff in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/squared_diff/row_shape.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work jit(const SquaredDiff& in, Run& run) {
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto y_all = y.broadcast_to({in.rows, in.cols});
  const std::int64_t width = load_width(x, y_all, z);
  const std::int64_t rows_of_thread = in.rows < 4 ? 1 : 4;
  const JitKernel kernel{embedded::jit_cuh,
                         "squared_diff",
                         {.constants = {{"WIDTH", width}, {"ROWS", rows_of_thread}}}};
  const LaunchShape shape = row_shape(in.rows, in.cols / width, rows_of_thread);

  return [=](Stream& stream) { kernel(stream, shape, x, y_all, z); };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "four rows of views per thread, 16-byte loads if the layout allows", jit};

}  // namespace kernelbatch::workloads::squared_diff
