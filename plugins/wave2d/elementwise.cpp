// wave2d in the elementwise style: the field is a raw array, whose neighbours are indexed.
#include "core/kernel/elementwise.hpp"

#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace wave2d {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Wave2D&>(problem);
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const kernelbatch::ElementwiseKernel kernel{"raw T now, T q, T before", "T next", R"(
    const long long rows = now.shape()[0];
    const long long cols = now.shape()[1];
    const long long k = i0 * cols + i1;
    const T here = now[k];
    const T north = i0 > 0 ? now[k - cols] : T(0);
    const T south = i0 < rows - 1 ? now[k + cols] : T(0);
    const T west = i1 > 0 ? now[k - 1] : T(0);
    const T east = i1 < cols - 1 ? now[k + 1] : T(0);
    next = 2 * here - before + q * (north + south + west + east - 4 * here))",
                                              "wave2d_elementwise"};

  run.measure([&] {
    fields.queue(run.stream(),
                 [&](const kernelbatch::Array& now, const kernelbatch::Array& before) {
                   kernel(run.stream(), now, q, before, before);
                 });
  });
}

}  // namespace wave2d
