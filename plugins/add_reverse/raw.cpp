// add_reverse in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace add_reverse {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const AddReverse&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const std::string name = "add_reverse_" + std::string(kernelbatch::name_of(in.x.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name},
      {.name = "add_reverse_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(
      z.size(), 256, 4 * 16 / static_cast<std::int64_t>(kernelbatch::size_of(in.x.dtype())));

  run.measure([&] { kernel(run.stream(), shape, x, y, z, z.size()); });
}

}  // namespace add_reverse
