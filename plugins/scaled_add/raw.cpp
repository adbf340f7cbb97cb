// scaled_add in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work raw(const ScaledAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const std::string name = "scaled_add_" + std::string(name_of(in.a.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "scaled_add_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(out.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.a.dtype())));

  return [=, &in](Stream& stream) { kernel(stream, shape, a, b, out, out.size(), in.scale); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::scaled_add
