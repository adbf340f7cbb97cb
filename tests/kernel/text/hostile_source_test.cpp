// Sources and logs that no compiler would accept, or that are extremely large.
#include "core/kernel/jit/source.hpp"
#include "core/kernel/program/diagnostic.hpp"
#include "core/kernel/raw/source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

KernelSource source_of(const std::string& text) {
  KernelSource source;
  source.name = "k";
  source.text = text;
  return source;
}

TEST_CASE("An unclosed bracket extends to the end of a JIT-style source") {
  for (const char* open : {"<", "(", "[", "{"}) {
    const std::string text = "__global__ void f(" + std::string(open) + "int x, float y";
    CHECK(read_jit_source(text, "f", "n").parameters.size() <= 1);
  }
  CHECK_THAT(test::message_of([] { read_jit_source("template <class T", "f", "n"); }),
             Contains("the source has no function 'f'"));
}

TEST_CASE("More autos than four-letter names are refused") {
  std::string list = "auto x0";
  for (int k = 1; k < 100; ++k) list += ", auto x" + std::to_string(k);
  CHECK(read_jit_source("__global__ void f(" + list + ") {}", "f", "n").parameters.size() == 100);
  CHECK_THAT(test::message_of([&] {
               read_jit_source("__global__ void f(" + list + ", auto one_more) {}", "f", "n");
             }),
             Contains("more than 100 template parameters"));
}

TEST_CASE("Line numbers that overflow an integer are ignored") {
  const KernelSource source = source_of("#line 99999999999999999999 \"a.cu\"\nx\n");
  CHECK(readable_log("a.cu:99999999999999999999:1: error: e", source) ==
        "a.cu:99999999999999999999:1: error: e\n");
  CHECK(readable_log("a.cu(99999999999999999999): error: e", source) ==
        "a.cu(99999999999999999999): error: e\n");
  CHECK(readable_log("a.cu:7:1: error: e", source) == "a.cu:7:1: error: e\n");
}

TEST_CASE("A caret in the first column gives no column") {
  const KernelSource source = source_of("#line 1 \"a.cu\"\nx = y\n");
  CHECK(readable_log("a.cu(1): error: e\n^", source) == "a.cu:1: error: e\n  x = y\n");
}

TEST_CASE("Lines of any length are read without running out of stack") {
  const std::string long_text(1 << 20, 'a');
  const KernelSource source = source_of("#line 1 \"" + long_text + "\"\nx\n");
  CHECK(readable_log(long_text + ":1:1: error: e", source) ==
        long_text + ":1:1: error: e\n  x\n  ^\n");
  CHECK(readable_log("k.cu:1:1: error: " + long_text, source) ==
        "k.cu:1:1: error: " + long_text + "\n");

  RawOptions options;
  options.translate_cucomplex = true;
  const std::string blanks = "#" + std::string(1 << 20, ' ') + "include <cuComplex.h>\n";
  CHECK(raw_source(blanks, {}, {"f"}, options).source.text ==
        "#include \"kernelbatch/cucomplex.hpp\"\n");
  CHECK(raw_source("#  include <cuComplex.h>\n", {}, {"f"}, options).source.text ==
        "#include \"kernelbatch/cucomplex.hpp\"\n");
}

}  // namespace
}  // namespace kernelbatch
