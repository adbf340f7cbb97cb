// `kernelbatch try`: two kernel files and arrays.
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
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
    std::vector<std::string> all{"try", "--device", test::test_device()};
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
  CHECK_THAT(result.output,
             Contains("a: right, ") && Contains("b: right, ") && Contains(" of a's time ("));
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"});
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
  const auto json = folder.json({"a.cu", "b.cu", "--in", "x.npy", "--out", "y"});
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
