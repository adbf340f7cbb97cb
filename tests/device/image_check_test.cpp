// Images of kernel texts that are rejected before they are loaded.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

using test::LoadedKernel;

constexpr const char* kKernel = "extern \"C\" __global__ void store(int* x) { *x = 1; }\n";

/// The reason why a kernel with this text before it is not loaded; empty if it is.
std::string refusal(const std::string& text) {
  try {
    const LoadedKernel loaded(text + kKernel, "store");
    return "";
  } catch (const CompileError& error) {
    return error.what();
  }
}

std::string refusal_of_call(const std::string& declaration, const std::string& call) {
  return refusal("extern \"C\" " + declaration +
                 ";\nextern \"C\" __global__ void attempt(int* x) { " + call + "; }\n");
}

TEST_CASE("An image that calls the operating system is rejected") {
  const auto [declaration, call, name] = GENERATE(table<std::string, std::string, std::string>({
      {"int system(const char*)", "system(\"true\")", "system"},
      {"int execve(const char*, char* const*, char* const*)", "execve(\"/bin/true\", 0, 0)",
       "execve"},
      {"int fork()", "while (true) fork()", "fork"},
      {"int socket(int, int, int)", "*x = socket(2, 1, 0)", "socket"},
      {"void* fopen(const char*, const char*)", "*x = fopen(\"want.npy\", \"r\") != 0", "fopen"},
      {"int open(const char*, int, ...)", "*x = open(\"answer\", 577, 0600)", "open"},
      {"int kill(int, int)", "kill(1, 9)", "kill"},
      {"int close(int)", "for (int k = 0; k < 100; ++k) close(k)", "close"},
      {"long ptrace(int, ...)", "*x = (int)ptrace(0)", "ptrace"},
      {"void _exit(int)", "_exit(0)", "_exit"},
      {"void* dlopen(const char*, int)", "*x = dlopen(\"libc.so.6\", 1) != 0", "dlopen"},
      {"long syscall(long, ...)", "*x = (int)syscall(39)", "syscall"},
      {"char* getenv(const char*)", "*x = getenv(\"HOME\") != 0", "getenv"},
  }));
  CHECK(refusal_of_call(declaration, call) ==
        "the kernel's image calls '" + name +
            "', which kernels may not use; --no-sandbox trusts a text");
}

TEST_CASE("An image that runs code while it is loaded or unloaded is rejected") {
  const auto [text, name] = GENERATE(table<std::string, std::string>({
      {"extern \"C\" __attribute__((constructor)) void early() {}\n", "early"},
      {"extern \"C\" __attribute__((destructor)) void late() {}\n", "late"},
      {"extern \"C\" void _init() {}\n", "_init"},
      {"extern \"C\" void _fini() {}\n", "_fini"},
      {"extern \"C\" { static void early() {}\n"
       "__attribute__((section(\".init_array\"), used)) static void (*entry)() = early; }\n",
       "early"},
  }));
  CHECK(refusal(text) == "the kernel's image has the constructor or destructor '" + name +
                             "', which kernels may not use; --no-sandbox trusts a text");
  CHECK(refusal("extern \"C\" { static int right() { return 1; }\n"
                "int (*choose())() { return right; }\n"
                "int resolved() __attribute__((ifunc(\"choose\"))); }\n"
                "extern \"C\" __global__ void attempt(int* x) { *x = resolved(); }\n") ==
        "the kernel's image has the IFUNC resolver 'resolved', which kernels may not use; "
        "--no-sandbox trusts a text");
}

TEST_CASE("An image may print, compute, allocate and throw") {
  CHECK(refusal("#include <cstdio>\n#include <cmath>\n#include <cstdlib>\n"
                "extern \"C\" __global__ void attempt(float* x) {\n"
                "  printf(\"%g\\n\", tgammaf(x[0]) + erfcinvf(x[1]));\n"
                "  int* const y = new int[100];\n  x[0] = y[3];\n  delete[] y;\n"
                "  if (x[1] > 1) abort();\n}\n") == "");
}

TEST_CASE("Kernels of a trusted job may call any function") {
  const test::EnvironmentVariable off("KERNELBATCH_NO_SANDBOX", "1");
  CHECK(refusal_of_call("char* getenv(const char*)", "*x = getenv(\"HOME\") != 0") == "");
}

}  // namespace
}  // namespace kernelbatch
