// copy in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

static Work raw(const Copy& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string name = "copy_" + std::string(name_of(in.x.dtype()));
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {name}, {.name = "copy_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x.dtype())));

  return [=](Stream& stream) { kernel(stream, shape, x, y, y.size()); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::copy
