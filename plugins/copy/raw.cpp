// copy in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/copy/copy.hpp"

namespace copy {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Copy&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const std::string name = "copy_" + std::string(kernelbatch::name_of(in.x.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name},
      {.name = "copy_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(
      y.size(), 256, 4 * 16 / static_cast<std::int64_t>(kernelbatch::size_of(in.x.dtype())));

  run.measure([&] { kernel(run.stream(), shape, x, y, y.size()); });
}

}  // namespace copy
