// complex_axpy in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace complex_axpy {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ComplexAxpy&>(problem);
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "complex_axpy"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, y.size());

  run.measure([&] { kernel(run.stream(), shape, x1, x2, y, in.a_real, in.a_imag); });
}

}  // namespace complex_axpy
