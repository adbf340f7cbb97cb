// `kernelbatch try`: two kernel files and arrays.
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const std::string kTwice =
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2 * x[i];\n}\n";

/// A file of NumPy with the float32 numbers 0, 1, …
std::string numbers(int count, float factor = 1) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize(117, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  for (int k = 0; k < count; ++k) {
    const float value = factor * static_cast<float>(k);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

class TryFolder {
 public:
  TryFolder() {
    write("a.cu", kTwice);
    write("x.npy", numbers(5000));
    write("two.npy", numbers(5000, 2));
  }
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(folder_ / name, text);
  }
  /// A change of the kernel, as another file.
  void write_changed(const std::string& name, const std::string& from,
                     const std::string& to) const {
    std::string text = kTwice;
    text.replace(text.find(from), from.size(), to);
    write(name, text);
  }
  ProcessResult run(std::vector<std::string> words) const {
    std::vector<std::string> all{"try", "--timeout", "3600", "--device", test::test_device()};
    for (std::string& word : words) {
      const bool is_file = word.ends_with(".cu") || word.ends_with(".npy");
      const std::size_t at = word.find('=');
      if (is_file && at != std::string::npos)
        word = word.substr(0, at + 1) + (folder_ / word.substr(at + 1)).string();
      else if (is_file)
        word = (folder_ / word).string();
      all.push_back(word);
    }
    return test::command(all);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  nlohmann::json json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const ProcessResult result = run(words);
    INFO(result.output);
    return nlohmann::json::parse(result.output.substr(result.output.find('{')));
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("try reports whether a second kernel is correct, and how it compares") {
  const TryFolder folder;
  folder.write_changed("b.cu", "2 * x[i]", "x[i] + x[i]");
  const ProcessResult result = folder.run({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"});
  INFO(result.output);
  CHECK(result.exit_status == 0);
  if (test::test_device() == "host")
    CHECK_THAT(result.output, Contains("a: right in 8 calls on 3 sets of inputs\n") &&
                                  Contains("b: right in 8 calls on 3 sets of inputs\nRIGHT\n"));
  const ProcessResult timed =
      folder.run({"a.cu", "b.cu", "--in", "x.npy", "--out", "y", "--host-times"});
  CHECK_THAT(timed.output,
             Contains("a: right, ") && Contains("b: right, ") && Contains(" of a's time ("));
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y", "--host-times"});
  CHECK(json["files"].size() == 2);
  CHECK(json["files"][1]["status"] == "ok");
  CHECK(json["files"][1]["median"] > 0);
  CHECK(json["ratio"]["low"] <= json["ratio"]["high"]);
  const std::string verdict = json["verdict"];
  CHECK(std::set<std::string>{"FASTER", "SLOWER", "SAME", "UNSURE"}.contains(verdict));
}

TEST_CASE("try reports kernels of equal duration as SAME") {
  // By the simulated clock, kernels with equal numbers of threads take equal times.
  // tests/report/verdict_test.cpp tests verdicts on other times.
  const TryFolder folder;
  folder.write_changed("b.cu", "2 * x[i]", "x[i] + x[i]");
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y", "--host-times"});
  INFO(json.dump());
  if (test::test_device() != "host") return;
  CHECK(json["ratio"]["median"] == 1);
  CHECK(json["verdict"] == "SAME");
}

TEST_CASE("try reports an error with its place, and ends with 1") {
  const TryFolder folder;
  folder.write_changed("b.cu", "2 * x[i]", "2 * x[i] + (i == 4321)");
  const ProcessResult result = folder.run({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"});
  INFO(result.output);
  CHECK(result.exit_status == 1);
  CHECK_THAT(result.output, Contains("WRONG") && Contains("4321"));
  CHECK(folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"})["verdict"] == "WRONG");
}

TEST_CASE("try compares one file with the expected output, and reports compile errors") {
  const TryFolder folder;
  CHECK(folder.json({"a.cu", "--in", "x.npy", "--out", "y", "--want", "y=two.npy"})["verdict"] ==
        "RIGHT");
  CHECK(folder.json({"a.cu", "--in", "x.npy", "--out", "y", "--want", "x.npy"})["verdict"] ==
        "WRONG");
  folder.write_changed("c.cu", "2 * x[i]", "2 * z[i]");
  const ProcessResult result =
      folder.run({"c.cu", "--in", "x.npy", "--out", "y", "--want", "two.npy"});
  INFO(result.output);
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.output, Contains("FAILED") && Contains("z"));
}

/// A kernel that keeps its first answer.
const std::string kStored =
    "__device__ float kept[8192];\n"
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  if (kept[i] == 0) kept[i] = 2 * x[i];\n"
    "  y[i] = kept[i];\n}\n";

TEST_CASE("try finds stored answers by other draws of the inputs") {
  const TryFolder folder;
  folder.write("b.cu", kStored);
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"});
  CHECK(json["verdict"] == "WRONG");
  CHECK(json["exit_code"] == 1);
  CHECK(json["files"][0]["draws"] == 3);
  // Expected outputs in a file belong to one set of inputs.
  const std::vector<std::string> one{"b.cu", "--in", "x.npy", "--out", "y", "--want", "two.npy"};
  const auto accepted = folder.json(one);
  CHECK(accepted["verdict"] == "RIGHT");
  CHECK(accepted["files"][0]["draws"] == 1);
  CHECK(accepted["note"] == "one set of inputs: a stored answer would pass");
  const auto drawn =
      folder.json({"b.cu", "--in", "x.npy", "--out", "y", "--draws", "5", "--want-from", "a.cu"});
  CHECK(drawn["verdict"] == "WRONG");
}

TEST_CASE("try --sanitize counts what a GPU would do for accesses of memory") {
  const TryFolder folder;
  const std::vector<std::string> words{"a.cu", "--in", "x.npy", "--out", "y", "--want", "two.npy"};
  const auto plain = folder.json(words);
  CHECK(plain["files"][0]["counts"].is_null());
  std::vector<std::string> checked = words;
  checked.emplace_back("--sanitize");
  const auto json = folder.json(checked);
  INFO(json.dump());
  CHECK(json["verdict"] == "RIGHT");
  CHECK(json["files"][0]["counts"] ==
        nlohmann::json({{"sectors_per_request", 4}, {"barriers_per_block", 0}}));
}

TEST_CASE("try verifies further sizes, and references in C++") {
  const TryFolder folder;
  folder.write("ref.cpp", "for (long long k = 0; k < x.size(); ++k) y[k] = 2 * x[k];\n");
  // Wrong in the last partial block.
  folder.write_changed("b.cu", "if (i < n)", "if (i < n / 8 * 8)");
  const std::vector<std::string> words{"b.cu", "--in", "x.npy", "--out", "y"};
  const auto judge = [&](std::vector<std::string> more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return folder.json(all);
  };
  const std::string reference = "--want-from=" + folder.path("ref.cpp");
  CHECK(judge({reference})["verdict"] == "RIGHT");
  const auto wrong = judge({reference, "-p", "n=1,32,33"});
  CHECK(wrong["verdict"] == "WRONG");
  CHECK(wrong["files"][0]["reason"].get<std::string>().starts_with("with 1 rows: "));
  CHECK(wrong["sizes"] == nlohmann::json({1, 32, 33}));
  CHECK(judge({reference, "--ragged"})["verdict"] == "WRONG");
  CHECK(judge({reference, "-p", "n=32"})["verdict"] == "RIGHT");
  CHECK(judge({reference, "-p", "n=0"})["exit_code"] == 2);
  CHECK(judge({"--want", "two.npy", "-p", "n=32"})["error"].get<std::string>().starts_with(
      "other sizes need a reference"));
}

TEST_CASE("Every failure of try is JSON if that is requested") {
  const TryFolder folder;
  folder.write("zero.cu", kTwice + std::string(1, '\0'));
  folder.write("main.cu", "int main() { return 0; }\n");
  folder.write("bad.cu",
               "extern \"C\" __global__ void twice(const float* x, float* y) { y[0 = x; }");
  const auto failed = [&](const std::string& file, int code) {
    const auto json = folder.json({"a.cu", file, "--in", "x.npy", "--out", "y"});
    INFO(json.dump());
    CHECK(json["schema"] == 1);
    CHECK(json["verdict"] == "FAILED");
    CHECK(json["exit_code"] == code);
  };
  failed("zero.cu", 2);
  failed("main.cu", 2);
  failed("no.cu", 2);
  failed("bad.cu", 3);
  const auto usage = folder.json({"a.cu", "--no-such-option"});
  CHECK(usage["verdict"] == "FAILED");
  CHECK(usage["exit_code"] == 2);
}

TEST_CASE("try judges many kernels, a line of JSON each") {
  const TryFolder folder;
  folder.write_changed("b.cu", "2 * x[i]", "x[i] + x[i]");
  folder.write_changed("c.cu", "2 * x[i]", "3 * x[i]");
  folder.write_changed("d.cu", "y[i] = 2 * x[i]", "*(volatile int*)nullptr = 1");
  const ProcessResult result = folder.run(
      {"a.cu", "b.cu", "c.cu", "d.cu", "b.cu", "--in", "x.npy", "--out", "y", "--jsonl"});
  CHECK(result.exit_status == 1);
  std::vector<std::string> verdicts;
  for (const std::string& line : split(result.output, '\n'))
    if (line.starts_with('{')) verdicts.push_back(nlohmann::json::parse(line)["verdict"]);
  REQUIRE(verdicts.size() == 4);
  if (test::test_device() != "host") return;  // there they are timed
  CHECK(verdicts == std::vector<std::string>{"RIGHT", "WRONG", "FAILED", "RIGHT"});
}

TEST_CASE("A grid of try uses the names of its numbers") {
  const TryFolder folder;
  folder.write_changed("b.cu", "2 * x[i]", "x[i] + x[i]");
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y", "--set", "tile=64",
                                 "--grid", "ceil(n / tile)", "--block", "64"});
  INFO(json.dump());
  CHECK(json["exit_code"] == 0);
}

TEST_CASE("try accepts given shapes, numbers, kernels and launches") {
  const TryFolder folder;
  folder.write(
      "s.cu",
      "__global__ void other(float* y) { y[0] = 0; }\n"
      "__global__ void scale(const float* x, double* y, float by, int count, int offset) {\n"
      "  for (int i = threadIdx.x; i < 100; i += blockDim.x) y[i] = x[i] * by + offset + "
      "(count != 5000);\n}\n");
  folder.write("t.cu",
               "__global__ void scale(const float* x, double* y) {\n"
               "  const int i = blockIdx.x * 10 + threadIdx.x; y[i] = 3 * x[i] + 7; }\n");
  const ProcessResult result =
      folder.run({"s.cu", "--entry", "scale", "--in", "x.npy", "--out", "y=10x10", "--set", "by=3",
                  "--set", "offset=7", "--grid", "1", "--block", "64", "--want", "two.npy"});
  INFO(result.output);
  CHECK_THAT(result.output, Contains("(10, 10)") || Contains("10"));
  CHECK(result.exit_status != 0);
  const ProcessResult other =
      folder.run({"t.cu", "s.cu", "--entry", "scale", "--in", "x.npy", "--out", "y=100", "--set",
                  "by=3", "--set", "offset=7", "--block", "10"});
  INFO(other.output);
  CHECK(other.exit_status == 0);
}

TEST_CASE("try reports missing arguments") {
  const TryFolder folder;
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    const ProcessResult result = folder.run(std::move(words));
    CAPTURE(result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains(why));
  };
  refused({"a.cu", "--in", "x.npy", "--out", "y"}, "--want y.npy");
  refused({"a.cu", "a.cu", "--in", "x.npy"}, "--out is required");
  refused({"a.cu", "a.cu", "--in", "x.npy", "--out", "z"}, "--out y");
  refused({"a.cu", "a.cu", "--out", "y=10"}, "--in x.npy");
  refused({"a.cu", "no.cu", "--in", "x.npy", "--out", "y"}, "there is no file");
  refused({"a.cu", "a.cu", "--in", "no.npy", "--out", "y"}, "there is no file");
  refused({"a.cu", "a.cu", "--in", "x.npy", "--out", "y", "--set", "n"}, "--set n: expected");
  folder.write("two.cu", "__global__ void f(float* y) {}\n__global__ void g(float* y) {}\n");
  refused({"two.cu", "a.cu", "--in", "x.npy", "--out", "y"}, "choose one with --entry");
  folder.write("none.cu", "int f();\n");
  refused({"none.cu", "a.cu", "--in", "x.npy", "--out", "y"}, "no __global__ function");
  folder.write("scalar.cu", "__global__ void f(const float* x, float* y, float eps) {}\n");
  refused({"scalar.cu", "a.cu", "--in", "x.npy", "--out", "y"}, "--set eps=");
}

}  // namespace
}  // namespace kernelbatch
