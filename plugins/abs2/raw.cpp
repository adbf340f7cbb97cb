// abs2 in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const std::string name = "abs2_" + std::string(kernelbatch::name_of(in.z.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name},
      {.name = "abs2_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(
      y.size(), 256, 4 * 16 / static_cast<std::int64_t>(kernelbatch::size_of(in.z.dtype())));

  run.measure([&] { kernel(run.stream(), shape, z, y, y.size()); });
}

}  // namespace abs2
