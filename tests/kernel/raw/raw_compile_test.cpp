// Compilers and sources of raw kernels.
#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cuda_compiler.hpp"
#include "tests/support/device.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::cuda_compiler;
using test::device_array;
using test::source_of;
using test::stream;
using test::values_of;

TEST_CASE("Backends are selected by name") {
  CHECK(compiler_backend_named("nvrtc") == CompilerBackend::kNvrtc);
  CHECK(compiler_backend_named("nvcc") == CompilerBackend::kNvcc);
  CHECK(test::error_text<SpecError>([] { compiler_backend_named("clang"); }) ==
        "unknown backend 'clang': expected nvrtc or nvcc");
}

TEST_CASE("Backend nvcc refuses template instances") {
  RawOptions options;
  options.backend = CompilerBackend::kNvcc;
  options.name = "fill";
  CHECK(test::error_text<SpecError>([&] {
          RawModule{"template <class T> __global__ void fill(T* x) { *x = 1; }",
                    {"fill<float>"},
                    options};
        }) ==
        "'fill<float>' of 'fill': only backend nvrtc finds templates and namespaces by name; give "
        "the kernel an extern \"C\" name, or use nvrtc");
}

TEST_CASE("Backend nvcc compiles with options and prelude") {
  RawOptions options;
  options.backend = CompilerBackend::kNvcc;
  options.options = {"-DVALUE=5"};
  const RawKernel kernel{
      "#include \"kernelbatch/device.hpp\"\n"
      "extern \"C\" __global__ void f(float* x) { *x = float16(VALUE); }",
      "f", options};
  const Array x = device_array<float>({0});
  try {
    kernel(stream(), {}, x);
  } catch (const UnsupportedError& error) {
    REQUIRE(test::on_cuda());  // the host needs no nvcc
    WARN("not checked: " << error.what());
    return;
  }
  CHECK(values_of<float>(x)[0] == 5);
}

TEST_CASE("nvcc creates a cubin, and reports errors with the user's lines") {
  const auto compiler = cuda_compiler();
  if (!compiler) return;
  KernelSource source = source_of("extern \"C\" __global__ void f(int* x) { *x = 1; }", {"f"});
  source.backend = CompilerBackend::kNvcc;
  try {
    CHECK(compiler->compile(source).bytes.substr(1, 3) == "ELF");
    source.text = "\nextern \"C\" __global__ void f(int* x) { *x = what; }";
    CHECK_THAT(test::error_text<CompileError>([&] { compiler->compile(source); }),
               Contains("cannot compile 'source' for sm_90 (nvcc):\nsource.cu(2)"));
  } catch (const UnsupportedError& error) {
    WARN("not checked: " << error.what());
  }
}

TEST_CASE("Without nvcc its backend reports the searched places") {
  const auto compiler = cuda_compiler();
  if (!compiler) return;
  const test::EnvironmentVariable nowhere("NVCC", "/nowhere/nvcc");
  KernelSource source = source_of("extern \"C\" __global__ void f(int* x) { *x = 1; }", {"f"});
  source.backend = CompilerBackend::kNvcc;
  CHECK(test::error_text<UnsupportedError>([&] { compiler->compile(source); }) ==
        "cannot compile 'source' with backend nvcc: nvcc not found (searched $NVCC, "
        "$CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin); load a CUDA module, or use "
        "backend nvrtc");
}

constexpr const char* kParent = R"(
__global__ void child(int* x) { x[threadIdx.x] = threadIdx.x + 1; }
extern "C" __global__ void parent(int* x, int n) { child<<<1, n>>>(x); }
)";

TEST_CASE("A kernel launches kernels, with and without the option for it") {
  for (const bool is_asked : {true, false}) {
    RawOptions options;
    if (is_asked) options.options = {"-rdc=true"};
    const RawKernel kernel{kParent, "parent", options};
    const Array x = device_array(std::vector<int>(4));
    try {
      kernel(stream(), {}, x, 4);
    } catch (const UnsupportedError& error) {
      WARN("not checked: " << error.what());
      return;
    }
    CHECK(values_of<int>(x) == std::vector<int>{1, 2, 3, 4});
  }
}

TEST_CASE("Children launch children; all end before the next kernel begins") {
  const RawKernel kernel{R"(
template <class T>
__global__ void leaf(T* x, T value) { atomicAdd(x + threadIdx.x, value); }
__global__ void branch(int* x, int depth) {
  if (depth == 0) leaf<int><<<2, dim3(4)>>>(x, 10);
  else branch<<<1, 1>>>(x, depth - 1);
}
extern "C" __global__ void root(int* x) {
  // A launch in a comment is none: branch<<<9, 9>>>(x, 9);
  if (threadIdx.x < 2) branch<<<1, 1, 0>>>(x, 3);
})",
                         "root"};
  const RawKernel twice{"extern \"C\" __global__ void twice(int* x) { x[threadIdx.x] *= 2; }",
                        "twice"};
  const Array x = device_array(std::vector<int>(4));
  LaunchShape shape;
  shape.block = {32};
  try {
    kernel(stream(), shape, x);
  } catch (const UnsupportedError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  shape.block = {4};
  twice(stream(), shape, x);
  CHECK(values_of<int>(x) == std::vector<int>(4, 80));
}

TEST_CASE("Relocatable code is linked with the device runtime, under every spelling") {
  const auto compiler = cuda_compiler();
  if (!compiler) return;
  KernelSource source = source_of(kParent, {"parent"});
  for (const char* option : {"-rdc=true", "-dc", "--device-c", "--relocatable-device-code=true"}) {
    INFO(option);
    source.options = {option};
    try {
      const Image image = compiler->compile(source);
      CHECK(image.bytes.substr(1, 3) == "ELF");
      CHECK(image.bytes.find("cudaCDP2LaunchDevice") != std::string::npos);
    } catch (const UnsupportedError& error) {
      WARN("not checked: " << error.what());
    }
  }
}

TEST_CASE("A source written with cuComplex.h works on both devices") {
  RawOptions options;
  options.translate_cucomplex = true;
  const RawKernel kernel{R"(#include <cuComplex.h>
extern "C" __global__ void f(cuFloatComplex* x, cuDoubleComplex* y) {
  cuFloatComplex a = make_cuFloatComplex(1.0f, 2.0f), b = make_cuComplex(3.0f, -1.0f);
  x[0] = cuCaddf(a, b);
  x[1] = cuCsubf(a, b);
  x[2] = cuCmulf(a, b);
  x[3] = cuCdivf(a, b);
  x[4] = cuConjf(a);
  x[5] = cuCfmaf(a, b, a);
  x[6] = make_cuFloatComplex(cuCabsf(make_cuFloatComplex(3.0f, 4.0f)), cuCimagf(a) + cuCrealf(b));
  cuDoubleComplex c = make_cuDoubleComplex(1.0, 2.0), d = cuComplexFloatToDouble(b);
  y[0] = cuCadd(c, d);
  y[1] = cuCmul(c, d);
  y[2] = cuCfma(c, d, cuConj(c));
  y[3] = make_cuDoubleComplex(cuCabs(make_cuDoubleComplex(6.0, 8.0)), cuCimag(c) - cuCreal(d));
  y[4] = cuCdiv(cuCsub(c, d), make_cuDoubleComplex(0.0, 1.0));
  x[7] = cuComplexDoubleToFloat(d);
})",
                         "f", options};
  using Single = std::complex<float>;
  using Double = std::complex<double>;
  const Array x = device_array(std::vector<Single>(8));
  const Array y = device_array(std::vector<Double>(5));
  kernel(stream(), {}, x, y);
  const std::vector<Single> wanted{{4, 1},  {-2, 3}, {5, 5}, {0.1f, 0.7f},
                                   {1, -2}, {6, 7},  {5, 5}, {3, -1}};
  const std::vector<Single> got = values_of<Single>(x);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    INFO(k);
    CHECK(std::abs(got[k] - wanted[k]) < 1e-6f);
  }
  CHECK(values_of<Double>(y) == std::vector<Double>{{4, 1}, {5, 5}, {6, 3}, {10, -1}, {3, 2}});
}

TEST_CASE("complex<T> is available by its header's name") {
  const RawKernel kernel{
      "#include <kernelbatch/complex.cuh>\n"
      "extern \"C\" __global__ void f(complex<double>* z) { z[0] = z[0] * conj(z[0]); }",
      "f"};
  const Array z = device_array<std::complex<double>>({{3, 4}});
  kernel(stream(), {}, z);
  CHECK(values_of<std::complex<double>>(z)[0] == std::complex<double>(25, 0));
}

}  // namespace
}  // namespace kernelbatch
