// printf in kernels.
#include <unistd.h>

#include <cstdio>

#include "core/base/file.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// Text that `work` writes to the process's standard output.
template <class Work>
std::string output_of(Work&& work) {
  const test::TemporaryFolder folder;
  std::fflush(stdout);
  const FileDescriptor before{::dup(STDOUT_FILENO)};
  const std::filesystem::path path = folder / "output";
  if (std::freopen(path.c_str(), "w", stdout) == nullptr) return "stdout cannot be redirected";
  work();
  std::fflush(stdout);
  ::dup2(before.get(), STDOUT_FILENO);
  return read_file(path);
}

TEST_CASE("printf in a kernel reaches the process's stdout on synchronization") {
  const RawKernel kernel{R"(
extern "C" __global__ void hello(float x) {
  if (threadIdx.x == 2) printf("block %d thread %d: %.2f %s\n", blockIdx.x, threadIdx.x, x, "ok");
})",
                         "hello"};
  const std::string output = output_of([&] {
    kernel(test::stream(), {.block = {4}}, 1.5f);
    test::stream().synchronize();
  });
  CHECK(output == "block 0 thread 2: 1.50 ok\n");
}

}  // namespace
}  // namespace kernelbatch
