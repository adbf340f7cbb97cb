// vector_add in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const std::string name = "vector_add_" + std::string(kernelbatch::name_of(in.a.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name},
      {.name = "vector_add_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(
      c.size(), 256, 4 * 16 / static_cast<std::int64_t>(kernelbatch::size_of(in.a.dtype())));

  run.measure([&] { kernel(run.stream(), shape, a, b, c, c.size()); });
}

}  // namespace vector_add
