// square_exp in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work raw(const SquareExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string name = "square_exp_" + std::string(name_of(in.x.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "square_exp_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x.dtype())));

  return [=](Stream& stream) { kernel(stream, shape, x, y, y.size()); };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::square_exp
