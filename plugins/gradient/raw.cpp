// gradient in plain CUDA, precompiled.
#include <algorithm>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

static Work raw(const Gradient& in, Run& run) {
  const auto u = run.to_device(in.u);
  const auto dx = run.output("dx");
  const auto dy = run.output("dy");
  const std::string name = "gradient_" + std::string(name_of(in.u.dtype()));
  const RawModule module{
      EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {name}, {.name = "gradient_raw"}};
  const auto kernel = module.function(name);
  constexpr std::int64_t kWidth = 32, kHeight = 8, kMostRows = 65535;
  const std::int64_t rows = u.shape()[0], cols = u.shape()[1];
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const LaunchShape shape{.grid = {narrow((cols + kWidth - 1) / kWidth),
                                   narrow(std::min((rows + kHeight - 1) / kHeight, kMostRows))},
                          .block = {narrow(kWidth), narrow(kHeight)}};

  return [=](Stream& stream) {
    kernel(stream, shape, u, dx, dy, static_cast<int>(rows), static_cast<int>(cols));
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "tiles with borders in shared memory", raw};

}  // namespace kernelbatch::workloads::gradient
