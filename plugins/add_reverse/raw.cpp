// add_reverse in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

static Work raw(const AddReverse& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::string name = "add_reverse_" + std::string(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "add_reverse_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(z.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x.dtype())));

  return [=](Stream& stream) { kernel(stream, shape, x, y, z, z.size()); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads, reversed in registers", raw};

}  // namespace kernelbatch::workloads::add_reverse
