// Compile errors of every kind of kernel point into the user's text, with both compilers; neither
// needs a GPU.
#include <functional>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// A stream and some memory for calling a kernel.
struct Caller {
  Stream& stream;
  Array x;
};
using Call = std::function<void(const Caller&)>;

/// The log of the error from compiling the call's source.
std::string log_of(const Call& call, Compiler& compiler) {
  test::RecordingDevice device;
  const auto stream = device.make_stream();
  try {
    call({*stream, Array::on_device(device, DType::kFloat32, {30, 40})});
  } catch (const SpecError&) {
    // Recorded kernels have no parameter sizes; only their sources are needed.
  }
  REQUIRE(device.sources().size() == 1);
  try {
    compile_cached(device.sources()[0], compiler);
  } catch (const CompileError& error) {
    CHECK_THAT(error.what(), Contains("cannot compile '") && Contains(error.log().substr(0, 20)));
    return error.log();
  }
  return "it compiled";
}

/// Checks the place of the error with both compilers, the line of the user's text and its caret.
/// Each compiler has its own wording of the error.
void check_place(const std::string& place, const std::string& host, const std::string& cuda,
                 const std::string& excerpt, const Call& call) {
  CAPTURE(place);
  const test::EnvironmentVariable locale("LC_ALL", "C");
  const test::EnvironmentVariable cxx("CXX", "g++");
  const auto head = [](const std::string& log) {
    const std::vector<std::string> lines = split(log, '\n');
    return lines[0] + "\n" + (lines.size() > 2 ? lines[1] + "\n" + lines[2] : "");
  };
  CHECK(head(log_of(call, *make_compiler("host"))) == place + host + "\n" + excerpt);
  std::unique_ptr<Compiler> nvrtc;
  try {
    nvrtc = make_compiler("sm_90");
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  CHECK(head(log_of(call, *nvrtc)) == place + cuda + "\n" + excerpt);
}

constexpr const char* kHost = ": error: 'what' was not declared in this scope";
constexpr const char* kCuda = ": error: identifier \"what\" is undefined";

TEST_CASE("Errors in an elementwise kernel point into its texts") {
  check_place("operation:1:7", kHost, kCuda, "  y = 2*what\n        ^", [](const Caller& on) {
    ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = 2*what", .name = "k"}}(
        on.stream, on.x);
  });
  check_place("operation:2:8", kHost, kCuda, "    y += what;\n         ^", [](const Caller& on) {
    ElementwiseKernel{
        {.in = "T x", .out = "T y", .operation = "y = x;\n  y += what;", .name = "k"}}(
        on.stream, on.x.transpose());
  });
  check_place("operation:1:5", kHost, kCuda, "  y = what\n      ^", [](const Caller& on) {
    ElementwiseKernel{{.in = "T x", .out = "T y", .operation = "y = what", .name = "k"}}(
        on.stream, on.x.reshape({1200}).slice(0, 1, 99, 1));
  });
  ElementwiseOptions options;
  options.preamble = "__device__ int f(int n) {\n\treturn what;\n}";
  check_place(
      "preamble:2:9", kHost, kCuda, "  \treturn what;\n  \t       ^", [&](const Caller& on) {
        ElementwiseKernel{
            {.in = "T x", .out = "T y", .operation = "y = x", .name = "k", .options = options}}(
            on.stream, on.x);
      });
  options = {};
  options.loop_prep = "int q = what;";
  check_place("loop_prep:1:9", kHost, kCuda, "  int q = what;\n          ^", [&](const Caller& on) {
    ElementwiseKernel{
        {.in = "T x", .out = "T y", .operation = "y = x", .name = "k", .options = options}}(
        on.stream, on.x);
  });
  options = {};
  options.after_loop = "\nwhat();";
  check_place("after_loop:2:1", kHost, kCuda, "  what();\n  ^", [&](const Caller& on) {
    ElementwiseKernel{
        {.in = "T x", .out = "T y", .operation = "y = x", .name = "k", .options = options}}(
        on.stream, on.x);
  });
}

TEST_CASE("Errors in a reduction point into its texts") {
  const auto reduction = [](const char* map, const char* reduce, const char* post_map,
                            const char* identity, const char* preamble = "") {
    ReductionOptions options;
    options.preamble = preamble;
    return [=](const Caller& on) {
      ReductionKernel{{.in = "T x",
                       .out = "T y",
                       .map = map,
                       .reduce = reduce,
                       .post_map = post_map,
                       .identity = identity,
                       .name = "k",
                       .options = options}}(on.stream, on.x);
    };
  };
  check_place("map:1:5", kHost, kCuda, "  x + what\n      ^",
              reduction("x + what", "a + b", "y = a", "0"));
  check_place("map:2:8", kHost, kCuda, "  return what;\n         ^",
              reduction("T z = x;\nreturn what;", "a + b", "y = a", "0"));
  check_place("reduce:1:5", kHost, kCuda, "  a + what\n      ^",
              reduction("x", "a + what", "y = a", "0"));
  check_place("post_map:1:9", kHost, kCuda, "  y = a * what\n          ^",
              reduction("x", "a + b", "y = a * what", "0"));
  check_place("identity:1:1", kHost, kCuda, "  what\n  ^",
              reduction("x", "a + b", "y = a", "what"));
  check_place("preamble:1:17", kHost, kCuda, "  const int two = what;\n                  ^",
              reduction("x", "a + b", "y = a", "0", "const int two = what;"));
}

TEST_CASE("Errors in JIT and raw kernels point into their sources") {
  check_place("wrong:3:10", kHost, kCuda, "    x[0] = what;\n           ^", [](const Caller& on) {
    JitKernel{"template <class X>\n__global__ void wrong(X x) {\n  x[0] = what;\n}", "wrong"}(
        on.stream, LaunchShape{}, on.x);
  });
  check_place("file.cu:2:3", kHost, kCuda, "    what(x);\n    ^", [](const Caller& on) {
    RawOptions options;
    options.name = "file";
    RawKernel{"extern \"C\" __global__ void wrong(float* x) {\n  what(x);\n}", "wrong", options}(
        on.stream, LaunchShape{}, on.x);
  });
}

TEST_CASE("The numbered source follows on request") {
  const test::EnvironmentVariable dump("KERNELBATCH_DUMP_SOURCE", "1");
  const std::string log = log_of(
      [](const Caller& on) {
        RawKernel{"extern \"C\" __global__ void wrong(float* x) {\n  what(x);\n}", "wrong"}(
            on.stream, LaunchShape{}, on.x);
      },
      *make_compiler("host"));
  CHECK_THAT(log, Contains("\nsource:\n"
                           "1 | extern \"C\" __global__ void wrong(float* x) {\n"
                           "2 |   what(x);\n"
                           "3 | }\n"));
}

}  // namespace
}  // namespace kernelbatch
