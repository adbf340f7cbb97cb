// One text, two compilers: what compiles for the host compiles for a GPU, and the other way round.
#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// The compilers of this machine: the host's, and NVRTC's where there is one.
const std::vector<std::unique_ptr<Compiler>>& compilers() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<Compiler>> all;
    all.push_back(make_compiler("host"));
    try {
      all.push_back(make_compiler("sm_90"));
    } catch (const DeviceError& error) {
      WARN("for the host alone: " << error.what());
    }
    return all;
  }();
  return kAll;
}

void check_compiles(const std::string& text, const std::vector<std::string>& options = {}) {
  for (const auto& compiler : compilers()) {
    INFO(compiler->target());
    try {
      compiler->compile(
          {.name = "text", .text = text, .entries = {"f"}, .options = options, .prebuilt = {}});
      SUCCEED();
    } catch (const CompileError& error) {
      FAIL_CHECK(error.what());
    }
  }
}

std::string kernel_of(const std::string& body) {
  return "extern \"C\" __global__ void f(double* d, float* s, long long* q, int* k) {\n" + body +
         "\n}\n";
}

TEST_CASE("Raw texts find on a GPU what they find on the host") {
  check_compiles(
      kernel_of("d[0] = CUDART_INF + CUDART_NAN + CUDART_PI + NAN + INFINITY;\n"
                "s[0] = CUDART_INF_F + CUDART_NAN_F + CUDART_PI_F;\n"
                "atomicMax(d, 1.0); atomicMin(s, 1); atomicAdd(q, 1ll);\n"
                "atomicMax(d, s[0]); atomicSub(d, 2); atomicExch(d, 3);\n"
                "int64_t a = 1; uint8_t b = 2; k[0] = int32_t(a) + b;\n"
                "array_view<double, 1> view{d, 1, {1}, {8}};\n"
                "complex<double> z(1, 2); float16 h = 1.0f; bfloat16 g = float(h);\n"
                "d[1] = view[0] + z.real() + polar(1.0, 2.0).real() + float(g);"));
}

TEST_CASE("Texts may declare themselves what the prelude has") {
  check_compiles(
      "typedef long long int64_t;\n"
      "using uint8_t = unsigned char;\n"
      "struct complex { float x, y; };\n"
      "template <class T> struct array_view { T* data; };\n"
      "__device__ double atomicMax(double* at, double value) { return *at + value; }\n"
      "__device__ long long atomicAdd(long long* at, long long value) { return *at + value; }\n" +
      kernel_of("complex z{1, 2}; array_view<double> v{d}; int64_t a = 1; uint8_t b = 2;\n"
                "d[0] = atomicMax(d, 2.0) + z.x + v.data[0] + a + b + atomicAdd(q, 2ll);"));
}

}  // namespace
}  // namespace kernelbatch
