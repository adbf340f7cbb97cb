// gradient as a reduction for each direction, over the two neighbours.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

static Work reduction(const Gradient& in, Run& run) {
  const auto u = run.to_device(in.u);
  const auto side = run.to_device(arange(DType::kInt32, {1, 1, 2}));
  const auto cells = u.reshape({u.shape()[0], u.shape()[1], 1});
  const auto dx = run.output("dx");
  const auto dy = run.output("dy");
  const auto kernel_for = [](const char* name, const char* neighbour) {
    return ReductionKernel{{.in = "T cell, int32 side, raw T u",
                            .out = "T d",
                            .map = std::string(R"(
    const long long rows = u.shape()[0];
    const long long cols = u.shape()[1];
    const long long row = _i / cols, column = _i % cols;
    const int step = side == 0 ? -1 : 1;
)") + neighbour,
                            .reduce = "a + b",
                            .post_map = "d = a / 2",
                            .identity = "0",
                            .name = name}};
  };
  const ReductionKernel along_rows = kernel_for("gradient_reduction_x", R"(
    const long long at = column + step < 0 || column + step >= cols ? column : column + step;
    return step * u[row * cols + at];)");
  const ReductionKernel along_columns = kernel_for("gradient_reduction_y", R"(
    const long long at = row + step < 0 || row + step >= rows ? row : row + step;
    return step * u[at * cols + column];)");

  return [=](Stream& stream) {
    along_rows.over({2})(stream, cells, side, u, dx);
    along_columns.over({2})(stream, cells, side, u, dy);
  };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "for each direction a sum over two neighbours", reduction};

}  // namespace kernelbatch::workloads::gradient
