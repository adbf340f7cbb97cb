// squared_diff on the CPU, element by element, in a wider type.
#include "core/workload/host_input.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work reference(const SquaredDiff& in, Run& run) {
  const Array out = run.output("z");
  const Array x = in.x_view(in.x);
  const Array y = in.y_view(in.y);
  const bool repeats_row = y.shape()[0] == 1, repeats_column = y.shape()[1] == 1;

  return dispatch_among<int, float, double>(in.x.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    using W = Wider<T>;
    const auto z = out.as<T>();
    const auto element = [](const Array& array, std::int64_t r, std::int64_t c) {
      return static_cast<W>(*reinterpret_cast<const T*>(array.data() + r * array.strides()[0] +
                                                        c * array.strides()[1]));
    };
    return [=, &in] {
#pragma omp parallel for schedule(static)
      for (std::int64_t r = 0; r < in.rows; ++r) {
        for (std::int64_t c = 0; c < in.cols; ++c) {
          const W difference =
              element(x, r, c) - element(y, repeats_row ? 0 : r, repeats_column ? 0 : c);
          z[static_cast<std::size_t>(r * in.cols + c)] = static_cast<T>(difference * difference);
        }
      }
    };
  });
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "in a wider type on all cores", reference};

}  // namespace kernelbatch::workloads::squared_diff
