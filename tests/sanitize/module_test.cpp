// Checks of kernels that are PTX modules; places are their lines.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

/// Reverses 64 numbers through shared memory, with `between` before they are read.
std::string reversed(const std::string& between) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 tile[256];
.visible .entry f(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd1];
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r2;
)" + between +
         R"(
  sub.s32 %r6, %r3, %r4;
  ld.shared.u32 %r7, [%r6+252];
  st.global.u32 [%rd2], %r7;
  ret;
})";
}

TEST_CASE("A missing barrier in a PTX module is a race") {
  CHECK(findings_of(reversed("  bar.sync 0;"), grid_of(1, 64)) == Texts{});
  CHECK(findings_of(reversed(""), grid_of(1, 64)) ==
        Texts{"race: kernel 'f', contract.ptx:19  st.shared.u32 [%r5], %r2;\n"
              "  thread (32,0,0) of block (0,0,0) writes tile[32], which thread (31,0,0) reads at "
              "contract.ptx:22, with no barrier between\n"
              "  found 64 times in 1 block; first seen in call 1"});
}

TEST_CASE("A PTX module's access outside an array is reported with its line") {
  // Right behind the array: farther away, another one may be nearer.
  const std::string store = "  bar.sync 0; ld.param.u64 %rd4, [y]; st.global.u32 [%rd4+256], %r1;";
  const Texts found = findings_of(reversed(store), grid_of(1, 64));
  REQUIRE(!found.empty());
  CHECK_THAT(found[0], Contains("contract.ptx:20" + store) && Contains("y[64], past the end"));
}

}  // namespace
}  // namespace kernelbatch
