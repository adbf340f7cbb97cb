// Program: compile, cache and log of kernels on a device.
#include "core/kernel/program/program.hpp"

#include "core/base/error.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/kernel/program/cache_key.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// A source that no other test compiles.
KernelSource unique_source(const std::string& mark) {
  KernelSource source;
  source.name = "program";
  source.text = "extern \"C\" __global__ void f(int* x) { *x = 7; }  // " + mark;
  source.entries = {"f"};
  return source;
}

TEST_CASE("A kernel is compiled once, then loaded from memory") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  take_program_log(test::device());
  const KernelSource source = unique_source("once");

  Program(source).kernel(test::device(), "f");
  Program(source).kernel(test::device(), "f");

  const ProgramLog log = take_program_log(test::device());
  CHECK(log.compiled == 1);
  CHECK(log.from_cache == 0);
  CHECK(log.compile_s > 0);
  CHECK(log.load_s > 0);
  REQUIRE(log.kernels.size() == 2);
  CHECK(log.kernels[0].name == "f");
  CHECK(log.kernels[0].target == test::device().properties().target);
  CHECK(take_program_log(test::device()).kernels.empty());
}

TEST_CASE("An image loaded from disk runs") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  const KernelSource source = unique_source("disk");
  Compiler& compiler = test::device().compiler();
  store_cached(folder.path(), cache_key(source, compiler), compiler.compile(source));
  take_program_log(test::device());

  Program program(source);
  Kernel& kernel = program.kernel(test::device(), "f");
  const Array x = test::device_array<int>({0});
  std::byte* pointer = x.data();
  void* const arguments[] = {&pointer};
  kernel.launch(LaunchShape{}, arguments, test::stream());

  CHECK(test::values_of<int>(x)[0] == 7);
  const ProgramLog log = take_program_log(test::device());
  CHECK(log.compiled == 0);
  CHECK(log.from_cache == 1);
}

TEST_CASE("A program compiles nothing before its first use") {
  KernelSource source = unique_source("broken");
  source.text = "this is no C++";
  Program program(source);
  CHECK_THROWS_AS(program.kernel(test::device(), "f"), CompileError);
}

}  // namespace
}  // namespace kernelbatch
