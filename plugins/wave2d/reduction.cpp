// wave2d as a reduction for each step, over the five points of the stencil.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

static Work reduction(const Wave2D& in, Run& run) {
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const auto point = run.to_device(arange(DType::kInt32, {1, 1, 5}));
  const auto cells = q.reshape({q.shape()[0], q.shape()[1], 1});
  const ReductionKernel kernel{{.in = "T cell, int32 point, raw T now, raw T q, raw T before",
                                .out = "T next",
                                .map = R"(
    const long long rows = now.shape()[0];
    const long long cols = now.shape()[1];
    const long long row = _i / cols + (point == 1 ? -1 : point == 2 ? 1 : 0);
    const long long column = _i % cols + (point == 3 ? -1 : point == 4 ? 1 : 0);
    if (row < 0 || row >= rows || column < 0 || column >= cols) return T(0);
    const T value = now[row * cols + column];
    return point == 0 ? -4 * value : value;)",
                                .reduce = "a + b",
                                .post_map = "next = 2 * now[_i] - before[_i] + q[_i] * a",
                                .identity = "0",
                                .name = "wave2d_reduction"}};

  return [=](Stream& stream) {
    fields.queue(stream, [&](const Array& now, const Array& before) {
      kernel.over({2})(stream, cells, point, now, q, before, before);
    });
  };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "for each step a sum over the five points of the stencil",
                                reduction};

}  // namespace kernelbatch::workloads::wave2d
