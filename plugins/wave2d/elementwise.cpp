// wave2d in the elementwise style: the field is a raw array, whose neighbours are indexed.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/wave2d/fields.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

static Work elementwise(const Wave2D& in, Run& run) {
  const Fields fields(in, run);
  const auto q = run.to_device(in.q);
  const ElementwiseKernel kernel{{.in = "raw T now, T q, T before",
                                  .out = "T next",
                                  .operation = R"(
    const long long rows = now.shape()[0];
    const long long cols = now.shape()[1];
    const long long k = i0 * cols + i1;
    const T here = now[k];
    const T north = i0 > 0 ? now[k - cols] : T(0);
    const T south = i0 < rows - 1 ? now[k + cols] : T(0);
    const T west = i1 > 0 ? now[k - 1] : T(0);
    const T east = i1 < cols - 1 ? now[k + 1] : T(0);
    next = 2 * here - before + q * (north + south + west + east - 4 * here))",
                                  .name = "wave2d_elementwise"}};

  return [=](Stream& stream) {
    fields.queue(stream, [&](const Array& now, const Array& before) {
      kernel(stream, now, q, before, before);
    });
  };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation for each step, the field a raw array",
                                  elementwise};

}  // namespace kernelbatch::workloads::wave2d
