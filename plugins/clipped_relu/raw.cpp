// clipped_relu in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/clipped_relu/clipped_relu.hpp"

namespace kernelbatch::workloads::clipped_relu {

static Work raw(const ClippedRelu& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string name = "clipped_relu_" + std::string(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "clipped_relu_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x.dtype())));

  return [=, &in](Stream& stream) { kernel(stream, shape, x, y, y.size(), in.cap); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::clipped_relu
