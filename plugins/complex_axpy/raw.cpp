// complex_axpy in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include <string>

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace complex_axpy {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ComplexAxpy&>(problem);
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const std::string name = "complex_axpy_" + std::string(kernelbatch::name_of(in.x1.dtype()));
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {name},
      {.name = "complex_axpy_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(
      y.size(), 256, 4 * 16 / static_cast<std::int64_t>(kernelbatch::size_of(in.x1.dtype())));

  run.measure([&] { kernel(run.stream(), shape, x1, x2, y, y.size(), in.a_real, in.a_imag); });
}

}  // namespace complex_axpy
