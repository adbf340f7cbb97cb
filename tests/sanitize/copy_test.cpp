// Asynchronous copies: accesses of a copy that no thread has waited for.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

/// Copies two parts of 32 numbers with one copy a thread and group, and adds the first.
std::string two_groups(const std::string& wait, const std::string& after = "") {
  return R"(#include <cuda_pipeline.h>
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int part[2][32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&part[0][t], &x[t], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&part[1][t], &x[32 + t], 4);
  __pipeline_commit();
  )" + wait +
         R"(
  y[t] = part[0][t];
  )" + after +
         "\n}";
}

TEST_CASE("A missing wait for an asynchronous copy is reported with the copy") {
  CHECK(findings_of(two_groups("__pipeline_wait_prior(1);"), grid_of(1, 32)) == Texts{});
  CHECK(findings_of(two_groups("__pipeline_wait_prior(2);"), grid_of(1, 32)) ==
        Texts{"race: kernel 'f', source:10:19  y[t] = part[0][t];\n"
              "  thread (0,0,0) of block (0,0,0) reads part[0], the target of an asynchronous copy "
              "that thread (0,0,0) began at source:5:26, with no wait for the copy between\n"
              "  found 32 times in 1 block; first seen in call 1"});
}

TEST_CASE("A buffer that is used again before its copy is complete is reported") {
  const Texts found =
      findings_of(two_groups("__pipeline_wait_prior(1);", "part[1][t] = t;"), grid_of(1, 32));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("writes part[32], the target of an asynchronous copy") &&
                           Contains("source:7:26"));
}

TEST_CASE("A wait is for the copies of its thread only") {
  const std::string text = two_groups("__pipeline_wait_prior(0);", "y[t] += part[1][31 - t];");
  const Texts found = findings_of(text, grid_of(1, 32));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("part[") && Contains("source:7:26"));
  CHECK(
      findings_of(two_groups("__pipeline_wait_prior(0); __syncwarp();", "y[t] += part[1][31 - t];"),
                  grid_of(1, 32)) == Texts{});
}

/// One thread copies 256 bytes with cp.async.bulk; all read them after `wait`.
std::string bulk(const std::string& wait, const std::string& bytes = "256") {
  return R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 tile[256];
.shared .align 8 .b64 ready;
.visible .entry f(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, ready;
  mov.u32 %r3, tile;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra begun;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], )" +
         bytes + R"(, [%r2];
begun:
  bar.sync 0;
wait:
)" + wait +
         R"(
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r6;
  ret;
})";
}
const char* const kWait = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra wait;";

TEST_CASE("Threads that do not wait at a bulk copy's mbarrier are reported") {
  CHECK(findings_of(bulk(kWait), grid_of(1, 64)) == Texts{});
  const Texts none = findings_of(bulk(""), grid_of(1, 64));
  REQUIRE(none.size() == 1);
  CHECK_THAT(none[0], Contains("contract.ptx:25") && Contains("contract.ptx:18") &&
                          Contains("with no wait for the copy between"));
  // Only one warp waits.
  const Texts half =
      findings_of(bulk("setp.gt.u32 %p2, %r1, 31; @%p2 bra done;" + std::string(kWait) + " done:"),
                  grid_of(1, 64));
  REQUIRE(!half.empty());
  CHECK_THAT(half[0], Contains("tile["));
}

TEST_CASE("Bytes that an mbarrier expects and no copy brings make its threads wait forever") {
  const Texts found = findings_of(bulk(kWait, "128"), grid_of(1, 64));
  REQUIRE(!found.empty());
  CHECK_THAT(found[0], Contains("waits forever"));
}

/// Loads a box of 8 x 8 numbers of the 64 in `x`, doubles it in place and stores it in `y`.
std::string boxes(const std::string& loaded, const std::string& stored) {
  return R"(#include <cuda.h>
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ __align__(128) CUtensorMap maps[2];
  __shared__ __align__(128) int box[8][8];
  __shared__ unsigned long long ready;
  const int t = threadIdx.x;
  auto* word = reinterpret_cast<unsigned*>(maps);
  word[t] = 0;
  __syncthreads();
  const unsigned to = __cvta_generic_to_shared(box), barrier = __cvta_generic_to_shared(&ready);
  if (t == 0) {
    for (int k = 0; k < 2; ++k) {
      const unsigned map = __cvta_generic_to_shared(&maps[k]);
      const unsigned long long array = k == 0 ? (unsigned long long)x : (unsigned long long)y;
      asm("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(map), "l"(array) : "memory");
      asm("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 8;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 8;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 8;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(map), "r"(n / 8) : "memory");
      asm("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, 32;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 3;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(map) : "memory");
      asm("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(map) : "memory");
    }
    asm("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
    asm("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];"
        ::"r"(to), "l"(&maps[0]), "r"(barrier) : "memory");
  }
  __syncthreads();
  )" + loaded +
         R"(
  box[t / 8][t % 8] *= 2;
  __syncthreads();
  if (t == 0) {
    asm("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {0, 0}], [%0];" ::"r"(to), "l"(&maps[1]) : "memory");
    asm("cp.async.bulk.commit_group;" ::: "memory");
    )" + stored +
         R"(
  }
  __syncthreads();
  box[t / 8][t % 8] = 0;
})";
}
const char* const kLoaded =
    "for (int p = 0; p == 0;) asm(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, "
    "[%1], 0; selp.b32 %0, 1, 0, p; }\" : \"=r\"(p) : \"r\"(barrier) : \"memory\");";
const char* const kStored = "asm(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\");";

TEST_CASE("Missing waits for copies of a tensor's box are reported") {
  CHECK(findings_of(boxes(kLoaded, kStored), grid_of(1, 64)) == Texts{});
  const Texts early = findings_of(boxes("", kStored), grid_of(1, 64));
  REQUIRE(!early.empty());
  CHECK_THAT(early[0], Contains("], the target of an asynchronous copy") &&
                           Contains("with no wait for the copy between"));
  const Texts reused = findings_of(boxes(kLoaded, ""), grid_of(1, 64));
  REQUIRE(!reused.empty());
  CHECK_THAT(reused[0],
             Contains("writes box[") && Contains("], the source of an asynchronous copy"));
}

TEST_CASE("A tensor map that reaches beyond its array is reported") {
  std::string text = boxes(kLoaded, kStored);
  text.replace(text.find("n / 8"), 5, "n / 8 + 1");
  text.replace(text.find("{0, 0}"), 6, "{0, 1}");
  const Texts found = findings_of(text, grid_of(1, 64));
  REQUIRE(!found.empty());
  CHECK_THAT(found[0], Contains("reads x[64], past the end of its 64 elements"));
}

TEST_CASE("A bulk copy of wrong alignment is reported") {
  const Texts found = findings_of(bulk(kWait, "250"), grid_of(1, 64));
  REQUIRE(!found.empty());
  CHECK_THAT(found[0], Contains("the address is no multiple of 16"));
}

TEST_CASE("Stages of a pipeline of a block are ordered by its barriers") {
  const auto stages = [](const std::string& wait) {
    return R"(#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int part[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, part[k], x + 32 * k, 128, pipe);
    pipe.producer_commit();
  }
  int sum = 0;
  for (int k = 0; k < 2; ++k) {
    )" + wait +
           R"(
    sum += part[k][31 - t];
    pipe.consumer_release();
  }
  y[t] = sum;
})";
  };
  CHECK(findings_of(stages("pipe.consumer_wait();"), grid_of(1, 32)) == Texts{});
  const Texts found = findings_of(stages("__syncthreads();"), grid_of(1, 32));
  REQUIRE(!found.empty());
  CHECK_THAT(found[0], Contains("part[") && Contains("source:12"));
}

/// A product of a warp group from shared memory, which is written again after `between`.
std::string product(const std::string& between) {
  return R"(.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 tile[];
.visible .entry f(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 4;
  add.s32 %r4, %r2, %r3;
  mov.u32 %r5, 0;
  st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
  st.shared.v4.u32 [%r4+2048], {%r5, %r5, %r5, %r5};
  bar.sync 0;
  and.b32 %r6, %r2, 0x3ffff;
  shr.u32 %r6, %r6, 4;
  cvt.u64.u32 %rd1, %r6;
  or.b64 %rd1, %rd1, 0x1000080000;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd1, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
)" + between +
         R"(
  st.shared.v4.u32 [%r4], {%r5, %r5, %r5, %r5};
  ret;
})";
}

TEST_CASE("Memory that is written before the wait for a product that reads it is reported") {
  LaunchShape shape = grid_of(1, 128);
  shape.shared_bytes = 4096;
  const std::string wait = "wgmma.wait_group.sync.aligned 0;", barrier = "bar.sync 0;";
  CHECK(findings_of(product(wait + barrier), shape) == Texts{});
  const Texts none = findings_of(product(barrier), shape);
  REQUIRE(none.size() == 1);
  CHECK_THAT(none[0], Contains("contract.ptx:24") &&
                          Contains("the source of an asynchronous product that thread") &&
                          Contains("contract.ptx:21, with no wait for the product between"));
  CHECK(!findings_of(product(wait), shape).empty());
}

TEST_CASE("A register that is read before the wait for its product is reported") {
  LaunchShape shape = grid_of(1, 128);
  shape.shared_bytes = 4096;
  const std::string end = "\nwgmma.wait_group.sync.aligned 0;\nbar.sync 0;\n";
  const std::string sum = "add.f32 %f1, %f1, %f2;";
  CHECK(findings_of(product(end + sum), shape) == Texts{});
  const Texts found = findings_of(product(sum + end), shape);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0],
             Contains("contract.ptx:23") &&
                 Contains("reads a register that gets a product of "
                          "its warp group (wgmma), with no wait for the product between"));
  // A move takes the product along.
  CHECK(findings_of(product("mov.f32 %f3, %f1;" + end + "add.f32 %f1, %f3, %f3;"), shape) ==
        Texts{});
}

}  // namespace
}  // namespace kernelbatch
