// Counts of what a GPU would do for accesses of memory.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch::test {
namespace {

/// Counts of one launch of `f` with 64 threads that runs `body`.
KernelCounts counts_of(const std::string& body) {
  AccessChecks& checks = *checked_device().access_checks();
  checks.take_counts();
  const auto found = findings_of(
      "extern \"C\" __global__ void f(const int* x, int* y, int n) {\n"
      "  const int k = threadIdx.x;\n" +
          body + "\n}",
      grid_of(1, 64), 4096);
  INFO(found.size());
  CHECK(found.empty());
  const std::vector<KernelCounts> counts = checks.take_counts();
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].kernel == "f");
  CHECK(counts[0].blocks == 1);
  return counts[0];
}

TEST_CASE("Sectors of requests to global memory") {
  const KernelCounts dense = counts_of("y[k] = x[k];");
  CHECK(dense.requests == 4);
  CHECK(dense.sectors == 4 * 4);
  const KernelCounts strided = counts_of("y[k] = x[64 * k];");
  CHECK(strided.requests == 4);
  CHECK(strided.sectors == 2 * 32 + 2 * 4);
  CHECK(counts_of("y[k] = x[0];").sectors == 2 + 2 * 4);
}

TEST_CASE("Bank conflicts of requests to shared memory, and barriers") {
  const auto shared = [](const std::string& index) {
    return counts_of("__shared__ int s[4096];\n  s[" + index +
                     "] = k;\n  __syncthreads();\n  y[k] = s[" + index + "];");
  };
  const KernelCounts none = shared("k");
  CHECK(none.shared_requests == 4);
  CHECK(none.bank_conflicts == 0);
  CHECK(none.barriers == 1);
  CHECK(shared("2 * k").bank_conflicts == 4);
  CHECK(shared("32 * k").bank_conflicts == 4 * 31);
  CHECK(shared("33 * k").bank_conflicts == 0);
}

TEST_CASE("Kernels for the CPU, with one thread in a block, are not counted") {
  checked_device().access_checks()->take_counts();
  findings_of("extern \"C\" __global__ void f(const int* x, int* y, int n) { y[0] = x[0]; }",
              grid_of(1, 1));
  const std::vector<KernelCounts> counts = checked_device().access_checks()->take_counts();
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].blocks == 0);
}

}  // namespace
}  // namespace kernelbatch::test
