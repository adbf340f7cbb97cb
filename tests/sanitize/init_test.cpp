// Reads of uninitialized memory.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

TEST_CASE("Shared memory that one thread leaves unwritten") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[32];
  if (threadIdx.x != 3) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[31 - threadIdx.x];
})",
                    grid_of(1, 32)) ==
        Texts{"init: kernel 'f', source:5:38  y[threadIdx.x] = s[31 - threadIdx.x];\n"
              "  thread (28,0,0) of block (0,0,0) reads s[3], which is uninitialized\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("Shared memory that no statement writes") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int sums[2];
  if (threadIdx.x == 0) y[0] = sums[1];
})",
                    grid_of(1, 32)) ==
        Texts{"init: kernel 'f', source:3:38  if (threadIdx.x == 0) y[0] = sums[1];\n"
              "  thread (0,0,0) of block (0,0,0) reads sums[1], which is uninitialized\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("An output that is added to without a first value") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  y[threadIdx.x] += x[threadIdx.x];
})",
                    grid_of(1, 32)) ==
        Texts{"init: kernel 'f', source:2:16  y[threadIdx.x] += x[threadIdx.x];\n"
              "  thread (0,0,0) of block (0,0,0) reads y[0], which is uninitialized\n"
              "  found 32 times in 1 block; first seen in call 1"});
}

TEST_CASE("Values of an earlier block in shared memory are uninitialized") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  extern __shared__ int s[];
  if (blockIdx.x == 0) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[32 * blockIdx.x + threadIdx.x] = s[threadIdx.x];
})",
                    grid_of(2, 32, 128)) ==
        Texts{"init: kernel 'f', source:5:51  y[32 * blockIdx.x + threadIdx.x] = s[threadIdx.x];\n"
              "  thread (31,0,0) of block (1,0,0) reads dynamic shared memory[31], which is "
              "uninitialized\n"
              "  found 32 times in 1 block; first seen in call 1"});
}

}  // namespace
}  // namespace kernelbatch
