// wave2d as a reduction for each step, over the five points of the stencil.
#include "core/kernel/reduction.hpp"

#include "core/array/random.hpp"
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace wave2d {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Wave2D&>(problem);
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const auto point = run.to_device(kernelbatch::arange(kernelbatch::DType::kInt32, {1, 1, 5}));
  const auto cells = q.reshape({q.shape()[0], q.shape()[1], 1});
  const kernelbatch::ReductionKernel kernel{"T cell, int32 point, raw T now, raw T q, raw T before",
                                            "T next",
                                            R"(
    const long long rows = now.shape()[0];
    const long long cols = now.shape()[1];
    const long long row = _i / cols + (point == 1 ? -1 : point == 2 ? 1 : 0);
    const long long column = _i % cols + (point == 3 ? -1 : point == 4 ? 1 : 0);
    if (row < 0 || row >= rows || column < 0 || column >= cols) return T(0);
    const T value = now[row * cols + column];
    return point == 0 ? -4 * value : value;)",
                                            "a + b",
                                            "next = 2 * now[_i] - before[_i] + q[_i] * a",
                                            "0",
                                            "wave2d_reduction"};

  run.measure([&] {
    fields.queue(run.stream(),
                 [&](const kernelbatch::Array& now, const kernelbatch::Array& before) {
                   kernel.over({2})(run.stream(), cells, point, now, q, before, before);
                 });
  });
}

}  // namespace wave2d
