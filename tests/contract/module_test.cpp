// Contract of Compiler and Module: lookups in compiled code, and errors of failed ones.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::grid_of;
using test::LoadedKernel;
using test::raw_source;

TEST_CASE("A missing kernel is a SpecError that names it") {
  const Image image = device().compiler().compile(
      raw_source("extern \"C\" __global__ void there(int* x) { *x = 1; }", {"there"}));
  const auto module = device().load(image);

  CHECK_THAT(test::error_text<SpecError>([&] { module->kernel("elsewhere"); }),
             Contains("elsewhere"));
  CHECK_NOTHROW(module->kernel("there"));
}

TEST_CASE("Code that does not compile is a CompileError whose log names the user's line") {
  const std::string text =
      "extern \"C\" __global__ void f(int* x) {\n"
      "  x[0] = 1;\n"
      "  x[1] = not_declared;\n"
      "}\n";
  try {
    device().compiler().compile(raw_source(text, {"f"}, "broken"));
    FAIL("it compiled");
  } catch (const CompileError& error) {
    CHECK_THAT(error.log(), Contains("broken.cu:3") || Contains("broken.cu(3)"));
    CHECK_THAT(error.log(), Contains("not_declared"));
    CHECK_THAT(error.what(), Contains("cannot compile 'broken'"));
    CHECK(error.source() == text);
  }
}

TEST_CASE("The compiler's options define macros") {
  KernelSource source =
      raw_source("extern \"C\" __global__ void f(int* x) { *x = ANSWER; }", {"f"});
  source.options = {"-DANSWER=42"};
  const auto module = device().load(device().compiler().compile(source));
  const auto kernel = module->kernel("f");
  const Array x = test::device_array<int>({0});
  std::byte* pointer = x.data();
  void* const arguments[] = {&pointer};

  kernel->launch(LaunchShape{}, arguments, test::stream());

  CHECK(test::values_of<int>(x)[0] == 42);
}

TEST_CASE("Two modules with equal function and variable names do not mix") {
  const char* text = R"(
__device__ int seen = START;
__device__ int twice(int k) { return FACTOR * k; }
extern "C" __global__ void f(int* x) { *x = twice(seen); })";
  std::vector<int> results;
  std::vector<std::unique_ptr<Module>> modules;
  for (const int factor : {2, 3}) {
    KernelSource source = raw_source(text, {"f"});
    source.options = {"-DFACTOR=" + std::to_string(factor), "-DSTART=10"};
    modules.push_back(device().load(device().compiler().compile(source)));
  }

  for (const auto& module : modules) {
    const auto kernel = module->kernel("f");
    const Array x = test::device_array<int>({0});
    std::byte* pointer = x.data();
    void* const arguments[] = {&pointer};
    kernel->launch(LaunchShape{}, arguments, test::stream());
    results.push_back(test::values_of<int>(x)[0]);
  }

  CHECK(results == std::vector<int>{20, 30});
}

TEST_CASE("A kernel may have the name of a function or variable of the C library") {
  const LoadedKernel loaded(
      "__device__ int environ = 5;\n"
      "extern \"C\" __device__ int index(int k) { return k + environ; }\n"
      "extern \"C\" __global__ void step(int* x) { *x = index(2); }",
      "step");
  const Array x = test::device_array<int>({0});
  loaded.run(LaunchShape{}, x);
  CHECK(test::values_of<int>(x)[0] == 7);
}

TEST_CASE("A module loaded again after unloading is in its initial state") {
  const Image image = device().compiler().compile(raw_source(
      "__device__ int calls = 0; extern \"C\" __global__ void f(int* x) { *x = ++calls; }", {"f"}));
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto module = device().load(image);
    const auto kernel = module->kernel("f");
    const Array x = test::device_array<int>({0});
    std::byte* pointer = x.data();
    void* const arguments[] = {&pointer};
    kernel->launch(LaunchShape{}, arguments, test::stream());
    kernel->launch(LaunchShape{}, arguments, test::stream());
    CHECK(test::values_of<int>(x)[0] == 2);
  }
}

TEST_CASE("Template instances are found under their name expressions") {
  const char* text = R"(
template <class T, int N> __global__ void fill(T* x) { *x = T(N) / T(2); })";
  const Image image =
      device().compiler().compile(raw_source(text, {"fill<float, 3>", "fill<int, 7>"}));
  const auto module = device().load(image);
  const Array real = test::device_array<float>({0});
  const Array whole = test::device_array<int>({0});

  std::byte* pointer = real.data();
  void* const arguments[] = {&pointer};
  module->kernel("fill<float, 3>")->launch(LaunchShape{}, arguments, test::stream());
  pointer = whole.data();
  module->kernel("fill<int, 7>")->launch(LaunchShape{}, arguments, test::stream());

  CHECK(test::values_of<float>(real)[0] == 1.5f);
  CHECK(test::values_of<int>(whole)[0] == 3);
}

TEST_CASE("Sizes of parameters are those of the source") {
  const LoadedKernel loaded(
      "struct three { char text[3]; };\n"
      "extern \"C\" __global__ void f(float* p, three t, double d, short s, bool b) {}",
      "f");
  const auto sizes = loaded.kernel->parameter_sizes();
  CHECK(std::vector<std::size_t>(sizes.begin(), sizes.end()) ==
        std::vector<std::size_t>{8, 3, 8, 2, 1});
}

TEST_CASE("A kernel without parameters has none") {
  const LoadedKernel loaded("extern \"C\" __global__ void f() {}", "f");
  CHECK(loaded.kernel->parameter_sizes().empty());
  CHECK_NOTHROW(loaded.run(LaunchShape{}, 0));
}

TEST_CASE("Attributes contain the maximum number of threads of a block") {
  const LoadedKernel loaded("extern \"C\" __global__ void f(int* x) { *x = 1; }", "f");
  const KernelAttributes attributes = loaded.kernel->attributes(128, 0);
  CHECK(attributes.max_threads >= 128);
  if (test::on_cuda()) {
    CHECK(attributes.registers > 0);
    CHECK(attributes.blocks_per_unit > 0);
  }
}

}  // namespace
}  // namespace kernelbatch
