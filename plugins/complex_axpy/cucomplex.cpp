// complex_axpy in CUDA with cuComplex.h, translated to complex<T>.
#include <complex>
#include <string>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work cucomplex(const ComplexAxpy& in, Run& run) {
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const RawKernel kernel{embedded::cucomplex_cuh,
                         "complex_axpy_" + std::string(name_of(in.x1.dtype())),
                         {.name = "complex_axpy_cucomplex", .translate_cucomplex = true}};
  const LaunchShape shape = loop_shape(run, y.size());

  return dispatch_among<std::complex<float>, std::complex<double>>(
      y.dtype(), [&](auto zero) -> Work {
        using T = decltype(zero);
        const T a(std::complex<double>(in.a_real, in.a_imag));
        return [=](Stream& stream) { kernel(stream, shape, x1, x2, y, a, y.size()); };
      });
}
static const Variant kCucomplex{"cucomplex", VariantKind::kRaw,
                                "written with cuComplex.h, translated", cucomplex};

}  // namespace kernelbatch::workloads::complex_axpy
