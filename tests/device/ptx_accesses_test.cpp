// ptx/kinds.ptx: nvcc -ptx -arch=compute_90 ptx/kinds.cu, without comments.
#include "core/device/ptx_accesses.hpp"

#include <filesystem>

#include "core/base/file.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// "0:f32 2+8:": parameter, offset, type.
std::string types_in(const std::string& ptx, std::string_view entry) {
  std::string types;
  for (const PointerAccess& each : pointer_accesses(ptx, entry))
    types += (types.empty() ? "" : " ") + std::to_string(each.parameter) +
             (each.offset > 0 ? "+" + std::to_string(each.offset) : "") + ":" + each.type;
  return types;
}

std::string text(const char* path) {
  return read_file(std::filesystem::path(__FILE__).parent_path() / path);
}

/// A kernel of three pointers with these instructions; %d1 to %d3 are the pointers.
std::string types_of(const std::string& body) {
  std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f(.param .u64 a, "
      ".param .u64 b, .param .u64 c)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n"
      ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n";
  for (const char* const each :
       {"ld.param.u64 %d1, [a];", "ld.param.u64 %d2, [b];", "ld.param.u64 %d3, [c];"})
    ptx += each;
  return types_in(ptx + body + "ret;\n}\n", "f");
}

}  // namespace

TEST_CASE("Element types of kernels that nvcc compiled are those of their source, signed") {
  CHECK(types_in(text("ptx/kinds.ptx"), "kinds") ==
        "0:f32 1:f64 2:f16 3:bf16 4:s32 5:s32 6:u8 7:u8 8:s64 9:f32 9+8:f64 10:f16 11:f32 12:s32 "
        "13:f32 14:f32 15:s16");
}

TEST_CASE("Element types of Triton's kernels are those of what is computed") {
  CHECK(types_in(text("../../jobs/inline/triton_softmax.ptx"), "softmax_rows") == "0:f32 1:f32");
}

TEST_CASE("Damaged PTX has no accesses, or those that can be read") {
  const std::string ptx = text("ptx/kinds.ptx");
  for (std::size_t at = 300; at < ptx.size(); at += 13) {
    CAPTURE(at);
    CHECK_NOTHROW(pointer_accesses(ptx.substr(0, at) + "\n}\n", "kinds"));
    CHECK_NOTHROW(pointer_accesses(ptx.substr(0, at) + ptx.substr(at + 5), "kinds"));
  }
  CHECK(types_of("selp.b32 %r1; selp.b32 5, %r1, %r2, %p1; mov.b32 %r1; cvt.f32.f16 %r1;"
                 "ld.global.b99999999999999999999999 %r1, [%d1]; ld.global.b32;") == "");
}

TEST_CASE("Bits that are moved have a type if something is computed with them") {
  CHECK(types_of("ld.global.b32 %r1, [%d1]; st.global.b32 [%d2], %r1;") == "0: 1:");
  CHECK(types_of("ld.global.b32 %r1, [%d1]; mov.b32 %r2, %r1; add.f32 %r3, %r2, %r2;"
                 "st.global.b32 [%d2], %r3;") == "0:f32 1:f32");
  // Two halves in a register.
  CHECK(types_of("ld.global.b32 %r1, [%d1]; mov.b32 {%h1, %h2}, %r1; cvt.f32.bf16 %r2, %h1;"
                 "cvt.rn.f16x2.f32 %r3, %r2, %r2; st.global.b32 [%d2], %r3;") == "0:bf16 1:f16");
  // The same memory as two types.
  CHECK(types_of("ld.global.f32 %r1, [%d1]; ld.global.f64 %d4, [%d1+8];") == "0:");
  // Either of two arrays.
  CHECK(types_of("selp.b64 %d4, %d1, %d3, %p1; add.s64 %d4, %d4, 4; ld.global.f32 %r1, [%d4];") ==
        "0:f32 2:f32");
  CHECK(types_of("ld.shared.f32 %r1, [%d1];") == "");
  CHECK(pointer_accesses("no PTX", "f").empty());
}

}  // namespace kernelbatch
