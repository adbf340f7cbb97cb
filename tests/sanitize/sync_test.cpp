// Barriers and warp operations that some threads do not reach.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

TEST_CASE("Threads that leave before a barrier") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x >= 60) return;
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
})",
                    grid_of(1, 64)) ==
        Texts{"sync: kernel 'f', source:3:16  __syncthreads();\n"
              "  thread (0,0,0) of block (0,0,0) waits at a barrier to which 4 threads of the "
              "block never come: thread (60,0,0) has ended\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("Barriers at two places") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = 1;
    __syncthreads();
  } else {
    y[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
  }
})",
                    grid_of(1, 64)) ==
        Texts{"sync: kernel 'f', source:7:18  __syncthreads();\n"
              "  thread (32,0,0) of block (0,0,0) waits here for the barrier to which thread "
              "(0,0,0) comes at source:4:18\n"
              "  found 32 times in 1 block; first seen in call 1"});
}

TEST_CASE("A lane outside its own mask, and one in it that has ended") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  y[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], 3);
})",
                    grid_of(1, 32)) == Texts{"sync: kernel 'f', source:2:31  y[threadIdx.x] = "
                                             "__shfl_sync(0xffffu, x[threadIdx.x], 3);\n"
                                             "  thread (16,0,0) of block (0,0,0) is lane 16, which "
                                             "is not in the mask 0xffff of its own warp operation\n"
                                             "  found 16 times in 1 block; first seen in call 1"});
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x == 31) return;
  y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);
})",
                    grid_of(1, 32)) ==
        Texts{"sync: kernel 'f', source:3:36  y[threadIdx.x] = __shfl_down_sync(0xffffffffu, "
              "x[threadIdx.x], 1);\n"
              "  thread (0,0,0) of block (0,0,0) names lane 31 in the mask of a warp operation, "
              "whose thread (31,0,0) has ended\n"
              "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("A deadlock and a loop that never ends are found") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x < 16) __syncthreads();
  else __syncwarp(0xffffffffu);
})",
                    grid_of(1, 32)) ==
        Texts{"sync: kernel 'f', source:2:38  if (threadIdx.x < 16) __syncthreads();\n"
              "  thread (0,0,0) of block (0,0,0) waits forever: of 32 threads, 0 have ended, 16 "
              "wait at a barrier and 16 at a warp operation\n"
              "  found once in 1 block; first seen in call 1"});
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  volatile int* flag = y;
  if (threadIdx.x == 0) flag[0] = 0;
  if (threadIdx.x == 2) while (flag[0] != 5) {}
})",
                    grid_of(1, 32)) ==
        Texts{"sync: kernel 'f', source:4:38  if (threadIdx.x == 2) while (flag[0] != 5) {}\n"
              "  thread (2,0,0) of block (0,0,0) waits forever: it repeatedly reads what no "
              "thread that can run writes\n"
              "  found once in 1 block; first seen in call 1"});
}

}  // namespace
}  // namespace kernelbatch
