// Kernel texts that attack their surroundings: each gets a verdict, and the next variant still
// runs.
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kRight =
    "      extern \"C\" __global__ void f(const int* x, int* z) {\n"
    "        z[threadIdx.x] = 2 * x[threadIdx.x]; }\n";

/// Linux system calls by machine code in the image, since no function for them can be called.
constexpr const char* kCalls = R"(
      __attribute__((section(".text.calls,\"ax\",@progbits#"), used))
      static const unsigned char code[] = {
        0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x4d, 0x89, 0xc2,
        0x0f, 0x05, 0xc3};
      typedef long (*Call)(long number, const void* a, long b, long c, long d);
      #define CALL ((Call)(const void*)code)
)";

ResultFile results_with(const test::JobFolder& folder, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"run", folder.job()});
  const ProcessResult result = test::command(options);
  INFO(result.output);
  return read_results(folder.results());
}

/// A job of two variants: `attempt`, and an honest one after it.
std::string job_with(const std::string& text) {
  const auto one = [](const std::string& name, const std::string& source) {
    return "  " + name + ":\n    kind: raw\n    entry: f\n    args: [x, z]\n    grid: 1\n" +
           "    block: 64\n    source: |\n" + source;
  };
  return test::kShort +
         "workload: inline\n"
         "inputs: {x: {arange: 64, dtype: int32}}\n"
         "outputs: {z: {shape: [64], dtype: int32}}\n"
         "limits: {timeout: 20s, retries: 0}\n"
         "reference: {cpp: \"for (int k = 0; k < z.size(); ++k) z[k] = 2 * x[k];\"}\n"
         "variants:\n" +
         one("attempt", text) + one("honest", kRight);
}

/// The same with the text of `attempt` in kernel.cu.
std::string job_with_file() {
  std::string job = job_with(kRight);
  const std::string inside = std::string("    source: |\n") + kRight;
  return job.replace(job.find(inside), inside.size(), "    module: {file: kernel.cu}\n");
}

ResultRecord record_of(const ResultFile& file, const std::string& variant) {
  const auto found = std::ranges::find(file.results, variant, &ResultRecord::variant);
  REQUIRE(found != file.results.end());
  return *found;
}

/// The result of a kernel that acts before it computes the right answer.
ResultRecord attempt(const std::string& declarations, const std::string& action) {
  const test::JobFolder folder(
      job_with(declarations + "      extern \"C\" __global__ void f(const int* x, int* z) {\n" +
               "        if (threadIdx.x == 0) { " + action + " }\n" +
               "        z[threadIdx.x] = 2 * x[threadIdx.x]; }\n"));
  const ResultFile file = results_with(folder);
  CHECK(record_of(file, "honest").status == Status::kOk);
  return record_of(file, "attempt");
}

TEST_CASE("Functions of the system are rejected before the kernel runs") {
  const ResultRecord record =
      attempt("      extern \"C\" int system(const char*);\n", "system(\"true\");");
  CHECK(record.status == Status::kCompileFailed);
  CHECK(record.reason ==
        "the kernel's image calls 'system', which kernels may not use; --no-sandbox trusts a text");
  CHECK(attempt("      extern \"C\" __attribute__((constructor)) void early() {}\n", "").status ==
        Status::kCompileFailed);
}

#if defined(__x86_64__)
TEST_CASE("System calls by machine code are refused, and named") {
  if (test::test_device() != "host") return;
  const auto [action, reason] = GENERATE(table<std::string, std::string>({
      {"CALL(59, \"/bin/true\", 0, 0, 0);", "the kernel tried to start a program (execve)"},
      {"CALL(41, (const void*)2, 1, 0, 0);", "the kernel tried to use the network (socket)"},
      {"while (true) CALL(57, 0, 0, 0, 0);", "the kernel tried to start a process (fork)"},
      {"CALL(62, (const void*)1, 9, 0, 0);",
       "the kernel tried to send a signal to another process (kill)"},
      {"CALL(101, 0, 0, 0, 0);", "the kernel tried to inspect another process (ptrace)"},
  }));
  const ResultRecord record = attempt(kCalls, action);
  CHECK(record.status == Status::kCrashed);
  CHECK(record.reason == reason);
}

TEST_CASE("Ends of the worker and closed descriptors fail the kernel") {
  if (test::test_device() != "host") return;
  CHECK(attempt(kCalls, "CALL(231, 0, 0, 0, 0);").status == Status::kCrashed);
  const ResultRecord closes =
      attempt(kCalls, "for (long k = 0; k < 200; ++k) CALL(3, (const void*)k, 0, 0, 0);");
  CHECK(closes.status != Status::kOk);
}

TEST_CASE("A kernel cannot read the expected answer from a file") {
  if (test::test_device() != "host") return;
  const test::TemporaryFolder secret;
  std::ofstream(secret / "answer") << "x";
  const ResultRecord record = attempt(kCalls, "if (CALL(2, \"" + (secret / "answer").string() +
                                                  "\", 0, 0, 0) < 0) { z[1] = 7; return; }");
  CHECK(record.status == Status::kVerificationFailed);
}
#endif

TEST_CASE("A kernel that allocates more memory than there is fails") {
  const ResultRecord record = attempt(
      "      #include <cstdlib>\n",
      "char* const memory = (char*)malloc(1L << 46); *(volatile char*)(memory + (1L << 45)) = 1;");
  CHECK(record.status == Status::kCrashed);
}

TEST_CASE("A job of texts that are no kernel fails") {
  const std::string text =
      GENERATE("int main() { return 0; }\n", "// nothing\n", std::string("int x = 0;\0\n", 12),
               std::string(10'000'000, ' ') + "no kernel\n");
  const test::JobFolder folder(job_with_file());
  folder.write("kernel.cu", text);
  const ProcessResult result = test::command({"run", folder.job()});
  INFO(result.output);
  CHECK(result.exit_status != 0);
  CHECK_FALSE(result.output.empty());
}

TEST_CASE("Kernels in files that the job names are read in the sandbox") {
  const test::JobFolder folder(job_with_file());
  folder.write("kernel.cu", kRight);
  CHECK(record_of(results_with(folder), "attempt").status == Status::kOk);
}

TEST_CASE("Without the sandbox any function may be called, and the result file records it") {
  const std::string text =
      "      extern \"C\" char* getenv(const char*);\n"
      "      extern \"C\" __global__ void f(const int* x, int* z) {\n"
      "        z[threadIdx.x] = getenv(\"PATH\") != 0 ? 2 * x[threadIdx.x] : 0; }\n";
  const test::JobFolder folder(job_with(text));
  CHECK(record_of(results_with(folder), "attempt").status == Status::kCompileFailed);
  const ResultFile trusted = results_with(folder, {"--no-sandbox", "--overwrite"});
  CHECK(record_of(trusted, "attempt").status == Status::kOk);
}

}  // namespace
}  // namespace kernelbatch
