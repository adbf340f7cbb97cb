// sin_exp in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/sin_exp/sin_exp.hpp"

namespace kernelbatch::workloads::sin_exp {

static Work raw(const SinExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string name = "sin_exp_" + std::string(name_of(in.x.dtype()));
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {name}, {.name = "sin_exp_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x.dtype())));

  return [=](Stream& stream) { kernel(stream, shape, x, y, y.size()); };
}
static const Variant kRaw{
    "raw", VariantKind::kRaw,
    "16-byte loads and stores, four in flight; polynomials of its own in float64", raw};

}  // namespace kernelbatch::workloads::sin_exp
