// Translation of kernel texts for the host device: shared memory and its declarations.
#include "core/device/host/text/kernel_text.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace kernelbatch::host {
namespace {

TEST_CASE("`static` is removed from static shared memory, since its macro contains it") {
  CHECK(host_text("static __shared__ int a[2];") == "__shared__ int a[2];");
  CHECK(host_text("static\n __shared__ int a;") == "__shared__ int a;");
  for (const std::string text :
       {"nonstatic __shared__ int a;", "static __shared__x a; __shared__ int b;"})
    CHECK(host_text(text) == text);
}

TEST_CASE("Dynamic shared memory in a function becomes its macro") {
  const auto inside = [](const std::string& text) { return "void f() {" + text + "}"; };
  const auto rewritten = [&](const std::string& text) { return host_text(inside(text)); };
  CHECK(rewritten("extern __shared__ float x[];") ==
        inside("KERNELBATCH_DYNAMIC_SHARED(float, x);"));
  CHECK(rewritten("extern  __shared__\n unsigned char\tx [ ] ;") ==
        inside("KERNELBATCH_DYNAMIC_SHARED(unsigned char, x);"));
  CHECK(rewritten("extern __shared__ std::pair<int, T> x[];") ==
        inside("KERNELBATCH_DYNAMIC_SHARED(std::pair<int, T>, x);"));
  for (const std::string text :
       {"extern __align__(16) __shared__ T x[];", "extern __shared__ alignas(16) T x[];",
        "extern __shared__ volatile __align__ (8) T x[];",
        "extern __shared__ T __align__(16) x[];"})
    CHECK(rewritten(text) == inside("KERNELBATCH_DYNAMIC_SHARED(T, x);"));
  for (const std::string text :
       {"extern __shared__ float x[4];", "extern __shared__ float x;", "extern __shared__ x[];",
        "extern __shared__ 1 x[];", "myextern __shared__ float x[];",
        "extern __shared__ __align__(16 T x[];"})
    CHECK(rewritten(text) == inside(text));
}

TEST_CASE("Dynamic shared memory outside functions uses another macro") {
  const std::string declared = "extern __shared__ int x[];",
                    file = "KERNELBATCH_FILE_SHARED(int, x);";
  CHECK(host_text(declared + " void f() {}") == file + " void f() {}");
  for (const std::string scope :
       {"namespace {", "namespace a::b {", "namespace\n{", "inline namespace a {", "extern \"C\" {",
        "extern \"C++\"\n{", "namespace a { void f() {} extern \"C\" {"})
    CHECK(host_text(scope + declared) == scope + file);
  for (const std::string scope : {"struct a {", "my_namespace {", "using namespace a; void f() {",
                                  "f(\"C\") {", "myextern \"C\" {", "namespace a { void f() {"})
    CHECK(host_text(scope + declared) == scope + "KERNELBATCH_DYNAMIC_SHARED(int, x);");
}

TEST_CASE("Shared memory that is cast to a reference is a reference to an array") {
  const std::string declared =
      "void f() { extern __shared__ char x[]; extern __shared__ char y[]; ";
  const auto rewritten = [](const std::string& x) {
    return "void f() { " + x + "(char, x); KERNELBATCH_DYNAMIC_SHARED(char, y); ";
  };
  for (const std::string cast : {"reinterpret_cast<T&>(x)", "reinterpret_cast < S<T> & > ( x )"})
    CHECK(host_text(declared + cast) == rewritten("KERNELBATCH_DYNAMIC_SHARED_ARRAY") + cast);
  for (const std::string cast :
       {"reinterpret_cast<T*>(x)", "reinterpret_cast<T&>(x + 1)", "reinterpret_cast<&>(x)"})
    CHECK(host_text(declared + cast) == rewritten("KERNELBATCH_DYNAMIC_SHARED") + cast);
}

TEST_CASE("Translation time is linear in the length of the text") {
  std::string text = "__shared__ ";
  for (int k = 0; k < 100'000; ++k) text += "extern __shared__ a ";
  CHECK(host_text(text) == text);
}

}  // namespace
}  // namespace kernelbatch::host
