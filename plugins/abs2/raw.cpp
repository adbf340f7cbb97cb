// abs2 in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work raw(const Abs2& in, Run& run) {
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const std::string name = "abs2_" + std::string(name_of(in.z.dtype()));
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {name}, {.name = "abs2_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.z.dtype())));

  return [=](Stream& stream) { kernel(stream, shape, z, y, y.size()); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::abs2
