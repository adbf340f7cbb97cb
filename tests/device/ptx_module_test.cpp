// Translation of PTX modules for the host device: what is read, and what is rejected.
#include "core/device/host/ptx/ptx_module.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/device/host/ptx/ptx_module_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch::host {
namespace {

using test::error_text;

/// A module whose kernel has these statements from line 6 on.
std::string with_body(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry f(.param .u64 f_param_0)\n{ .reg .b32 %r<4>; .reg .f32 %f<4>;\n" +
         body + "\nret;\n}\n";
}
std::string translated(const std::string& body) {
  return ptx_module_text(with_body(body), "k.ptx", {}).text;
}

TEST_CASE("A module is read with its parts") {
  const PtxModule module = read_ptx_module(R"(// a comment
.version 8.7
.target sm_90a, texmode_independent
.address_size 64
.file 1 "/a/k.cu"
.visible .const .align 4 .b8 table[12] = {1, 2, 0xff};
.extern .shared .align 16 .b8 buffer[];
.global .align 8 .u64 pointers[2] = {table, generic(other)+8};
.func (.param .b32 r) g(.param .align 8 .b8 a[24]);
.visible .entry f(
  .param .u64 .ptr .global .align 16 f_param_0,
  .param .align 4 .b8 f_param_1[20]
)
.maxntid 128, 1, 1
.minnctapersm 2
{
  .reg .pred %p<3>;
  .loc 1 12 3
$L__BB0_1:
  @!%p1 bra $L__BB0_1;
  ret;
}
.section .debug_str { .b8 1, {2} }
)");
  CHECK(module.version == "8.7");
  CHECK(module.target == "sm_90a");
  CHECK(module.files.at(1) == "/a/k.cu");
  REQUIRE(module.variables.size() == 3);
  CHECK(module.variables[0].elements == 12);
  CHECK(module.variables[0].initial.size() == 3);
  CHECK(module.variables[1].is_extern);
  CHECK(module.variables[2].initial[1].name == "other");
  CHECK(module.variables[2].initial[1].offset == 8);
  REQUIRE(module.functions.size() == 2);
  CHECK_FALSE(module.functions[0].has_body);
  const PtxFunction& f = module.functions[1];
  CHECK(f.is_entry);
  CHECK(f.parameters[0].alignment == 0);
  CHECK(f.parameters[1].elements == 20);
  REQUIRE(f.body.size() == 5);
  CHECK(f.body[1].file_line == 12);
  CHECK(f.body[3].instruction.guard == "%p1");
  CHECK(f.body[3].instruction.is_guard_negated);
  CHECK(f.body[3].line == 20);
}

TEST_CASE("PTX is recognized by its first directive") {
  CHECK(is_ptx("// made by a compiler\n\n.version 8.0\n"));
  CHECK(is_ptx("/* x */ .version 8.0"));
  CHECK_FALSE(is_ptx("__global__ void f() {} // .version"));
  CHECK_FALSE(is_ptx(""));
}

TEST_CASE("Invalid PTX is reported with its line") {
  const auto error = [](const std::string& body) {
    return error_text<SpecError>([&] { translated(body); });
  };
  CHECK(error("add.s32 %r1, %r2, [;") == "line 6: expected a name at ';'");
  CHECK(error("\nadd.s32 %r1, %r2 %r3;") == "line 7: expected ',' or ';' at '%r3;'");
  CHECK(error("add.s32 %r1, %r2, %r9;") == "'%r9' is not declared, line 6");
  CHECK(error("add.s32 %r1, %r2;") == "line 6: an operand is missing");
  CHECK(error("\n\nfoo: .branchtargets a\n") == "line 10: expected ';' at 'ret;'");
  CHECK(error_text<SpecError>([] { read_ptx_module(".version 8.0\n.target sm_80\n.visible x"); }) ==
        "line 3: expected a directive at 'x'");
  CHECK(error_text<SpecError>([] { read_ptx_module(".version 8.0\n"); }) ==
        "line 2: a module without .target at the end");
  CHECK(error_text<SpecError>([] {
          const std::string name = "g";
          ptx_module_text(with_body(""), "k.ptx", {&name, 1});
        }) == "the module has no entry 'g' (did you mean 'f'?)");
}

TEST_CASE("An instruction that the host device lacks is named with its line") {
  const auto error = [](const std::string& body) {
    return error_text<UnsupportedError>([&] { translated(body); });
  };
  CHECK(error("tcgen05.wait::ld.sync.aligned;") ==
        "needs cuda: the PTX instruction 'tcgen05.wait::ld.sync.aligned' is not on the host "
        "device, line 6");
  CHECK(error("\nmov.u32 %r1, %tensor_core;") ==
        "needs cuda: the special register '%tensor_core' is not on the host device, line 7");
}

TEST_CASE("Copies of boxes that the host device lacks are named") {
  const auto error = [](const std::string& opcode) {
    return error_text<UnsupportedError>(
        [&] { translated(opcode + " [%r0], [%r1, {%r2, %r3}], [%r1];"); });
  };
  const std::string load = "cp.async.bulk.tensor.2d.shared::cluster.global";
  const std::string bytes = ".mbarrier::complete_tx::bytes";
  CHECK(translated(load + ".tile" + bytes + " [%r0], [%r1, {%r2, %r3}], [%r1];")
            .find("__kernelbatch_ptx_tensor_copy") != std::string::npos);
  translated("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%r1, {%r2, %r3}];");
  for (const std::string& opcode : {load + ".im2col" + bytes, load + ".tile::gather4" + bytes,
                                    load + bytes + ".multicast::cluster",
                                    "cp.async.bulk.tensor.3d.shared::cluster.global" + bytes})
    CHECK(error(opcode) ==
          "needs cuda: the PTX instruction '" + opcode + "' is not on the host device, line 6");
}

TEST_CASE("Entries that are not wanted may have instructions that the host device lacks") {
  const std::string module =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry other()\n{ .reg .b32 %r<4>;\n mov.u32 %r1, %envreg2;\nret;\n}\n"
      ".visible .entry child()\n{ ret;\n}\n"
      ".visible .entry wanted()\n{ .reg .b64 %d<4>;\n mov.u64 %d1, child;\nret;\n}\n";
  const std::string wanted[] = {"wanted"}, missing[] = {"wante"};
  const PtxModuleText translated = ptx_module_text(module, "k.ptx", wanted);
  CHECK(translated.entries.size() == 1);
  const auto defines = [&](const std::string& name) {
    const std::string head = "static void __kernelbatch_p" + name + "_f()";
    return translated.text.find(head) != translated.text.rfind(head);
  };
  CHECK(defines("wanted"));
  CHECK(defines("child"));  // its address is used
  CHECK_FALSE(defines("other"));
  CHECK_THAT(error_text<UnsupportedError>([&] { ptx_module_text(module, "k.ptx", {}); }),
             Contains("%envreg2"));
  CHECK_THAT(error_text<SpecError>([&] { ptx_module_text(module, "k.ptx", missing); }),
             Contains("did you mean 'wanted'?"));
}

TEST_CASE("Places are those of .loc, else the lines of the module") {
  CHECK(translated("mov.u32 %r1, 1;").find("#line 6 \"k.ptx\"") != std::string::npos);
  const std::string module = with_body(".loc 1 33 5\nmov.u32 %r1, 1;");
  CHECK(
      ptx_module_text(module + ".file 1 \"a.cu\"\n", "k.ptx", {}).text.find("#line 33 \"a.cu\"") !=
      std::string::npos);
}

}  // namespace
}  // namespace kernelbatch::host
