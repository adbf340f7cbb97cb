// A confined process compiles through the process outside of the sandbox, and what the sandbox
// costs.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "core/base/error.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/program/compile_process.hpp"
#include "core/kernel/program/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// The exit code of a child that is confined as a worker is.
int confined_exit(int (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    start_compile_process();
    enter_sandbox({});
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

KernelSource kernel(const std::string& text) {
  return {.name = "confined", .text = text, .entries = {"f"}, .options = {}, .prebuilt = {}};
}

TEST_CASE("A confined process compiles, also a text that is no UTF-8, and gets compile errors") {
  const test::TemporaryFolder cache;
  const test::EnvironmentVariable folder("KERNELBATCH_CACHE_DIR", cache.path().string());
  CHECK(confined_exit([] {
          const auto compiler = make_compiler("host");
          const KernelSource source =
              kernel("// \xff\nextern \"C\" __global__ void f(int* x) { *x = 3; }\n");
          const CachedImage first = compile_cached(source, *compiler);
          const CachedImage again = compile_cached(source, *compiler);
          if (!first.build || first.build->is_from_cache || again.build) return 1;
          return first.image.bytes == again.image.bytes && first.image.symbols.contains("f") ? 0
                                                                                             : 2;
        }) == 0);
  CHECK(confined_exit([] {
          try {
            compile_cached(kernel("this is no kernel"), *make_compiler("host"));
          } catch (const CompileError& error) {
            return error.log().empty() || error.source().empty() ? 1 : 0;
          }
          return 2;
        }) == 0);
}

TEST_CASE("The cost of the sandbox for each worker", "[.][benchmark]") {
  std::printf("fork_ms,sandbox_ms,processor_ms\n");
  std::fflush(stdout);
  for (int runs = 0; runs < 10; ++runs) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto begin = std::chrono::steady_clock::now();
      start_compile_process();
      const auto middle = std::chrono::steady_clock::now();
      enter_sandbox({});
      const auto end = std::chrono::steady_clock::now();
      const auto ms = [](auto time) {
        return std::chrono::duration<double, std::milli>(time).count();
      };
      timespec processor{};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
      std::printf("%.2f,%.2f,%.2f\n", ms(middle - begin), ms(end - middle),
                  1e3 * static_cast<double>(processor.tv_sec) +
                      1e-6 * static_cast<double>(processor.tv_nsec));
      std::fflush(stdout);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace
}  // namespace kernelbatch
