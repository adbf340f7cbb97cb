// squared_diff in plain CUDA, precompiled unless a job tunes it.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/squared_diff/raw_tuned.hpp"
#include "plugins/squared_diff/row_shape.hpp"

namespace kernelbatch::workloads::squared_diff {

static Work raw(const SquaredDiff& in, Run& run) {
  if (is_tuned(run)) return raw_tuned(in, run);
  const auto x = in.x_view(run.to_device(in.x));
  const auto y = in.y_view(run.to_device(in.y));
  const auto z = run.output("z");
  const auto y_all = y.broadcast_to({in.rows, in.cols});
  const std::string name =
      (in.is_dense() ? "squared_diff_" : "squared_diff_rows_") + std::string(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "squared_diff_raw"}};
  const auto kernel = module.function(name);
  const auto item = static_cast<std::int64_t>(size_of(in.x.dtype()));
  const auto step = [item](const Array& array, int axis) {
    return static_cast<long long>(array.strides()[axis] / item);
  };

  if (in.is_dense()) {
    const LaunchShape shape = loop_shape(z.size(), 256, 4 * 16 / item);
    return [=](Stream& stream) { kernel(stream, shape, x, y, z, z.size()); };
  } else {
    constexpr std::int64_t kRowsOfThread = 4;
    const std::int64_t width = load_width(x, y_all, z);
    const LaunchShape shape = row_shape(in.rows, in.cols / width, kRowsOfThread);
    return [=, &in](Stream& stream) {
      kernel(stream, shape, as_pointer(x), step(x, 0), step(x, 1), as_pointer(y_all),
             step(y_all, 0), step(y_all, 1), z, in.rows, in.cols, static_cast<std::int32_t>(width));
    };
  }
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "16-byte loads if the layout allows, by rows if y is broadcast", raw};

}  // namespace kernelbatch::workloads::squared_diff
