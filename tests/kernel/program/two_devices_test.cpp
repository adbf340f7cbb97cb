// One text, two compilers: texts that compile for the host compile for a GPU, and vice versa.
#include <filesystem>
#include <set>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/device/compile_options.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "core/kernel/text/tokens.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

/// The compilers of this machine: the host's, and NVRTC's if available.
const std::vector<std::unique_ptr<Compiler>>& compilers() {
  static const auto kAll = [] {
    std::vector<std::unique_ptr<Compiler>> all;
    all.push_back(make_compiler("host"));
    try {
      all.push_back(make_compiler("sm_90"));
    } catch (const DeviceError& error) {
      WARN("only for the host: " << error.what());
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

TEST_CASE("Raw texts have the same names available on a GPU and on the host") {
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

TEST_CASE("Texts may declare names of the prelude themselves") {
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

/// Every identifier of the prelude and of the templates as a macro, except C++ keywords, reserved
/// names, and `api`: names used by the text under test.
std::vector<std::string> all_names_as_macros(const std::set<std::string>& api) {
  static const std::set<std::string> kWords{"alignas",
                                            "alignof",
                                            "and",
                                            "asm",
                                            "auto",
                                            "bool",
                                            "break",
                                            "case",
                                            "catch",
                                            "char",
                                            "class",
                                            "const",
                                            "constexpr",
                                            "const_cast",
                                            "continue",
                                            "decltype",
                                            "default",
                                            "defined",
                                            "delete",
                                            "do",
                                            "double",
                                            "else",
                                            "enum",
                                            "explicit",
                                            "extern",
                                            "false",
                                            "float",
                                            "for",
                                            "friend",
                                            "goto",
                                            "if",
                                            "inline",
                                            "int",
                                            "long",
                                            "mutable",
                                            "namespace",
                                            "new",
                                            "noexcept",
                                            "not",
                                            "nullptr",
                                            "operator",
                                            "or",
                                            "private",
                                            "protected",
                                            "public",
                                            "register",
                                            "reinterpret_cast",
                                            "return",
                                            "short",
                                            "signed",
                                            "sizeof",
                                            "static",
                                            "static_assert",
                                            "static_cast",
                                            "struct",
                                            "switch",
                                            "template",
                                            "this",
                                            "thread_local",
                                            "throw",
                                            "true",
                                            "try",
                                            "typedef",
                                            "typeid",
                                            "typename",
                                            "union",
                                            "unsigned",
                                            "using",
                                            "virtual",
                                            "void",
                                            "volatile",
                                            "while",
                                            "xor",
                                            "kernelbatch"};
  const std::filesystem::path core = std::filesystem::path(test::source_folder()) / "core";
  std::set<std::string> names;
  for (const char* const folder : {"device", "kernel"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(core / folder)) {
      const std::string path = entry.path().string();
      if (path.ends_with(".cu.in") || path.find("/include/kernelbatch/") != std::string::npos ||
          path.find("/host/cuda/kernelbatch/") != std::string::npos)
        for (std::string& token : tokens_of(read_file(entry.path())))
          if (std::isalpha(static_cast<unsigned char>(token[0])) != 0)
            names.insert(std::move(token));
    }
  std::vector<std::string> macros;
  for (const std::string& name : names)
    if (!kWords.contains(name) && !api.contains(name) && !name.starts_with("KERNELBATCH_"))
      macros.push_back("-D" + name + "=3");
  REQUIRE(macros.size() > 500);
  return macros;
}

/// Generated kernels, with every schedule of a GPU and of the host. `call` creates new kernels each
/// time: none may outlive the device that it was used on.
template <class Call>
void check_generated(const Call& call) {
  test::RecordingDevice gpu;
  const auto host = open_device(choose_device("host"));
  for (Device* const device : {static_cast<Device*>(&gpu), host.get()}) {
    const auto stream = device->make_stream();
    const Array x = Array::on_device(*device, DType::kFloat64, {64, 96});
    call(*stream, x);
    stream->synchronize();
  }
  REQUIRE_FALSE(gpu.sources().empty());
  if (compilers().size() == 1) return;
  for (const KernelSource& source : gpu.sources()) try {
      compilers()[1]->compile(source);
    } catch (const CompileError& error) {
      FAIL_CHECK(error.what() << "\n" << source.text);
    }
}

TEST_CASE("Macros of the options do not affect names of the prelude") {
  const std::vector<std::string> macros = all_names_as_macros(
      {"in_q", "out_q", "a", "b", "size", "threadIdx", "blockIdx", "blockDim", "gridDim"});
  const ElementwiseKernel map_of{{.in = "Q in_q, float32 by_q",
                                  .out = "Q out_q",
                                  .operation = "out_q = in_q + by_q + count - 3 + _ind.size()",
                                  .name = "map_q",
                                  .options = {.options = macros}}};
  const ElementwiseKernel leave_of{{.in = "Q in_q",
                                    .out = "Q out_q",
                                    .operation = "if (in_q > value) return; out_q = i0",
                                    .name = "leave_q",
                                    .options = {.options = macros}}};
  check_generated([&](Stream& stream, const Array& x) {
    const ElementwiseKernel map = map_of, leave = leave_of;
    const Array flat = x.reshape({64 * 96});
    map(stream, flat, 2.0f);
    map(stream, x.slice(1, 0, 48, 2), 2.0f);
    map(stream, x.transpose(), 2.0f);
    map(stream, x.transpose(), 2.0f, Array::on_device(stream.device(), x.dtype(), {96, 64}));
    map(stream, flat.slice(0, 1, 1000, 1), 2.0f);
    leave(stream, x);
  });
  const ReductionKernel sum_of{{.in = "Q in_q",
                                .out = "Q out_q",
                                .map = "in_q * count",
                                .reduce = "a + b",
                                .post_map = "out_q = a + value",
                                .identity = "0",
                                .name = "sum_q",
                                .options = {.reduce_type = "double", .options = macros}}};
  check_generated([&](Stream& stream, const Array& x) {
    const ReductionKernel sum = sum_of;
    sum(stream, x);
    sum.over({0})(stream, x);
    sum.over({1})(stream, x);
    sum.over({1})(stream, x.slice(1, 0, 3, 1));
    sum(stream, x.broadcast_to({400, 64, 96}));
  });
}

TEST_CASE("Macros of raw texts do not affect other code") {
  const std::vector<std::string> macros = all_names_as_macros(
      {"f", "threadIdx", "blockIdx", "blockDim", "gridDim", "x", "d_q", "atomicAdd", "C", "unroll",
       "room_q", "assert", "complex", "sqrt", "real"});
  const std::string text =
      "extern \"C\" __global__ void f(double* d_q) {\n"
      "  extern __shared__ double room_q[];\n"
      "  room_q[threadIdx.x] = blockIdx.x + blockDim.x + gridDim.x;\n"
      "  assert(d_q[0] >= 0);\n"
      "  complex<double> some_q(1, 2);\n"
      "  atomicAdd(&d_q[0], room_q[0] + count + value + sqrt(some_q).real());\n"
      "}\n";
  check_compiles(text, macros);
  check_compiles(
      "#define count 3\n#define value 4\n#define T 5\n#include <kernelbatch/transform.cuh>\n" +
      text);
}

TEST_CASE("Macros of a preamble stay in the user's texts") {
  const ElementwiseKernel kernel{
      {.in = "Q in_q",
       .out = "Q out_q",
       .operation = "out_q = in_q + count + value(1)",
       .name = "own",
       .options = {
           .preamble = "#define count 3\n#define value(x) \\\n  (x + 1)\n",
           .loop_prep = "const int offset = count;",
           .options = {"-Doffset=unused", "-Uunused", "--define-macro=index=3", "-D", "x=4"}}}};
  check_generated([&](Stream& stream, const Array& x) {
    const ElementwiseKernel own = kernel;
    own(stream, x);
  });
}

TEST_CASE("Options mean the same to every compiler") {
  const std::string text =
      "#ifndef A\n#error no A\n#endif\nextern \"C\" __global__ void f(int* out) { *out = A + 1; "
      "}\n";
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"-DA=3"},
           {"-D", "A=3"},
           {"-D A=3"},
           {"--define-macro=A=3"},
           {"--define-macro", "A=3"},
           {"-DA"},
           {"-DA=3", "-DB", "-UB", "--std=c++17", "-lineinfo", "--use_fast_math", "-fmad=false",
            "-maxrregcount=64", "-maxrregcount", "64", "-ftz=true", "-Xptxas", "-v", "-w"}}) {
    require_known_options(options);
    check_compiles(text, options);
  }
  const auto refusal = [](const std::string& option) {
    return test::error_text<SpecError>([&] { require_known_options({"-DA", option}); });
  };
  CHECK_THAT(refusal("-O3"), Contains("unknown compiler option '-O3' (NVRTC has none"));
  CHECK_THAT(refusal("--use_fast_maths"), Contains("--use_fast_math"));
  CHECK_THAT(refusal("--define-macros=A=3"), Contains("did you mean '--define-macro'?"));
  CHECK_THAT(refusal("-lineinfo=3"), Contains("-lineinfo"));
}

}  // namespace
}  // namespace kernelbatch
