#include "core/inline/job_lines.hpp"

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

InlineVariant variant_of(const std::string& text) {
  return parse_job("workload: inline\nvariants:\n" + text, "jobs/x.yaml")
      .workloads.front()
      .kernels->variants.front();
}

CompileError translated(const std::string& message, const InlineVariant& variant) {
  return in_job_lines({message, message, ""}, texts_of(variant));
}

TEST_CASE("Errors in a block of text have the job's lines") {
  const InlineVariant variant = variant_of(
      "  mine:\n"
      "    kind: raw\n"
      "    source: |\n"
      "      // first\n"
      "      what\n"
      "    entry: f\n    grid: 1\n    block: 1\n    args: []\n");
  CHECK(std::string(translated("cannot compile 'mine' for sm_90: mine.cu:2:7: error: no\n"
                               "mine.cu:1: warning: so\n  what\nother.cu:2:7: error: this\n",
                               variant)
                        .what()) ==
        "cannot compile 'mine' for sm_90: jobs/x.yaml:7: error: no\n"
        "jobs/x.yaml:6: warning: so\n  what\nother.cu:2:7: error: this\n");
}

TEST_CASE("Errors in a text of one line have its line") {
  const InlineVariant variant =
      variant_of("  e: {kind: elementwise, in: T x, out: T z,\n      operation: z = q}\n");
  CHECK(translated("operation:1:5: error: 'q' is not declared\n", variant).log() ==
        "jobs/x.yaml:4: error: 'q' is not declared\n");
}

TEST_CASE("Places in a text become places in the job") {
  const std::vector<TextPlace> texts{{"f.cu", {"j.yaml", 10, 3}}};
  CHECK(with_job_places("f.cu:3:21", texts) == "j.yaml:12");
  CHECK(with_job_places("writes x, read at f.cu:1:5, or f.cu:2", texts) ==
        "writes x, read at j.yaml:10, or j.yaml:11");
  CHECK(with_job_places("of.cu:3:21 f.cu:x", texts) == "of.cu:3:21 f.cu:x");
}

TEST_CASE("The error for a missing entry lists the existing ones") {
  const std::string source = "extern \"C\" __global__ void twice(float* x) {}\n";
  const YamlNode entry{.kind = YamlNode::Kind::kScalar, .text = "twise", .place = {"x.yaml", 3, 9}};
  CHECK(test::message_of([&] { require_kernel(source, entry.text, entry.place); }) ==
        "x.yaml:3:9: 'entry': the source has no kernel 'twise' (did you mean 'twice'?)");
  YamlNode right = entry;
  right.text = "twice";
  CHECK(test::message_of([&] { require_kernel(source, right.text, right.place); }).empty());
  // Macros, templates and included files may define others.
  for (const char* more : {"#define MAKE(name) __global__ void name() {}\n", "template <class T>\n",
                           "#include \"mine.cuh\"\n"})
    CHECK(
        test::message_of([&] { require_kernel(more + source, entry.text, entry.place); }).empty());
}

}  // namespace
}  // namespace kernelbatch
