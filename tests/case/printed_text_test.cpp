// Text printed by a worker, by variant.
#include "core/case/worker/printed_text.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

std::string stream_of_two() {
  return "loading\n" + phase_mark("a", Phase::kLaunch) + "before\n" + phase_mark("a", Phase::kRun) +
         "first of a\n" + phase_mark("a", Phase::kVerify) + phase_mark("a", Phase::kRun) +
         "second of a\n" + phase_mark("b", Phase::kRun) + "first of b\n" +
         phase_mark("b", Phase::kMeasure) + "timed b\n";
}

TEST_CASE("Text of a first call is stored for its variant, once") {
  PrintedText printed;
  printed.add(stream_of_two());
  CHECK(printed.take_first_call("a") == "first of a\n");
  CHECK(printed.take_first_call("a").empty());
  CHECK(printed.take_first_call("b") == "first of b\n");
  CHECK(printed.take_first_call("c").empty());
  CHECK(printed.last_lines() == "first of b\ntimed b");
}

TEST_CASE("A stream in single bytes gives the same text") {
  PrintedText printed;
  for (const char c : stream_of_two()) printed.add({&c, 1});
  CHECK(printed.take_first_call("a") == "first of a\n");
  CHECK(printed.take_first_call("b") == "first of b\n");
  CHECK(printed.last_lines() == "first of b\ntimed b");
}

TEST_CASE("Only the beginning of a long text is stored, with a note") {
  PrintedText printed;
  printed.add(phase_mark("a", Phase::kRun));
  for (int line = 0; line < 10'000; ++line) printed.add("123456789\n");
  const std::string first = printed.take_first_call("a");
  CHECK(first.starts_with("123456789\n123456789\n"));
  CHECK(first.ends_with("123456789\n(more than 4096 bytes)\n"));
  CHECK(first.size() <= 4096 + 30);
  CHECK(printed.last_lines().size() == 12 * 10 - 1);
}

TEST_CASE("Text that contains the letters of a mark is text") {
  PrintedText printed;
  printed.add(phase_mark("a", Phase::kRun) + "x\x1ey\x1ez\n");
  CHECK(printed.take_first_call("a") == "xz\n");
  printed.add(phase_mark("b", Phase::kRun) + "\x1e" + std::string(2000, 'y') + "\n");
  CHECK(printed.take_first_call("b").size() == 2002);
}

}  // namespace
}  // namespace kernelbatch
