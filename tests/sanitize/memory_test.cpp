// Accesses outside arrays, misaligned ones, writes to inputs.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

TEST_CASE("A read and a write past an array's end") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k <= n) y[k] = x[k];
})",
                    grid_of(3, 32)) ==
        Texts{"memory: kernel 'f', source:3:25  if (k <= n) y[k] = x[k];\n"
              "  thread (0,0,0) of block (2,0,0) reads x[64], past the end of its 64 elements\n"
              "  found once in 1 block; first seen in call 1",
              "memory: kernel 'f', source:3:20  if (k <= n) y[k] = x[k];\n"
              "  thread (0,0,0) of block (2,0,0) writes y[64], past the end of its 64 elements\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("An atomic operation far outside an array") {
  const Texts found = findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x == 3) atomicMax(y + (1LL << 40), x[threadIdx.x]);
})",
                                  grid_of(1, 32));
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("source:2:34") != std::string::npos);
  CHECK(found[0].find("updates 4 bytes at 0x") != std::string::npos);
  CHECK(found[0].find("far from every array\n  found once in 1 block") != std::string::npos);
}

TEST_CASE("A write to an input") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  const_cast<int*>(x)[threadIdx.x] = 1;
})",
                    grid_of(1, 32)) ==
        Texts{"memory: kernel 'f', source:2:36  const_cast<int*>(x)[threadIdx.x] = 1;\n"
              "  thread (0,0,0) of block (0,0,0) writes x[0], which is an input\n"
              "  found 32 times in 1 block; first seen in call 1"});
}

TEST_CASE("A vector at a misaligned address") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  *reinterpret_cast<int4*>(y + 4 * threadIdx.x) = *reinterpret_cast<const int4*>(x + 4 * threadIdx.x + 1);
})",
                    grid_of(1, 8)) ==
        Texts{"memory: kernel 'f', source:2:52  *reinterpret_cast<int4*>(y + 4 * threadIdx.x) = "
              "*reinterpret_cast<const int4*>(x + 4 * threadIdx.x + 1);\n"
              "  thread (0,0,0) of block (0,0,0) uses x[1] as 16 bytes at once: the address is no "
              "multiple of 16\n"
              "  found 8 times in 1 block; first seen in call 1"});
}

TEST_CASE("An index outside shared and local arrays") {
  CHECK(
      findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[32];
  int local[4] = {1, 2, 3, 4};
  s[threadIdx.x] = local[x[threadIdx.x] & 3];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x + (n == 64 ? 1 : 0)];
})",
                  grid_of(1, 32)) ==
      Texts{
          "memory: kernel 'f', source:6:53  y[threadIdx.x] = s[threadIdx.x + (n == 64 ? 1 : 0)];\n"
          "  thread (31,0,0) of block (0,0,0) uses the index 32, which is outside of its array\n"
          "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("A variable of the kernel's file") {
  CHECK(
      findings_of(R"(__device__ int x_table[4];
extern "C" __global__ void f(const int* x, int* y, int n) {
  int* p = x_table;
  y[threadIdx.x] = 1;
  p[threadIdx.x] = 1;
})",
                  grid_of(1, 5)) ==
      Texts{"memory: kernel 'f', source:5:18  p[threadIdx.x] = 1;\n"
            "  thread (4,0,0) of block (0,0,0) writes x_table[4], past the end of its 4 elements\n"
            "  found once in 1 block; first seen in call 1"});
  // In symbols its name is also a type.
  CHECK(
      findings_of(R"(__device__ int d;
extern "C" __global__ void f(const int* x, int* y, int n) {
  d = blockIdx.x;
  y[blockIdx.x] = 1;
})",
                  grid_of(2, 1)) ==
      Texts{"race: kernel 'f', source:3:5  d = blockIdx.x;\n"
            "  thread (0,0,0) of block (1,0,0) writes d[0], which thread (0,0,0) of block (0,0,0) "
            "writes at source:3:5, and nothing orders the two blocks\n"
            "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("Missing actions of a thread that ended early are not reported") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[32];
  if (threadIdx.x == 3) const_cast<int*>(x)[3] = 1;
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[31 - threadIdx.x];
})",
                    grid_of(1, 32)) ==
        Texts{"memory: kernel 'f', source:3:48  if (threadIdx.x == 3) const_cast<int*>(x)[3] = 1;\n"
              "  thread (3,0,0) of block (0,0,0) writes x[3], which is an input\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("A null pointer") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  int* p = n == 64 ? nullptr : y;
  p[2] = 1;
})",
                    grid_of(1, 1)) ==
        Texts{"memory: kernel 'f', source:3:8  p[2] = 1;\n"
              "  thread (0,0,0) of block (0,0,0) writes the address 0x8, near the null pointer\n"
              "  found once in 1 block; first seen in call 1"});
}

}  // namespace
}  // namespace kernelbatch
