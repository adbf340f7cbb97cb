// complex_axpy in plain CUDA, precompiled.
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work raw(const ComplexAxpy& in, Run& run) {
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const std::string name = "complex_axpy_" + std::string(name_of(in.x1.dtype()));
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {name},
                         {.name = "complex_axpy_raw"}};
  const auto kernel = module.function(name);
  // Four loads of 16 bytes in each thread.
  const LaunchShape shape =
      loop_shape(y.size(), 256, 4 * 16 / static_cast<std::int64_t>(size_of(in.x1.dtype())));

  return [=, &in](Stream& stream) {
    kernel(stream, shape, x1, x2, y, y.size(), in.a_real, in.a_imag);
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "16-byte loads and stores, four in flight",
                          raw};

}  // namespace kernelbatch::workloads::complex_axpy
