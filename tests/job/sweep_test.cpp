#include "core/job/sweep.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

WorkloadSpec workload(const std::string& text, const Overrides& overrides = {}) {
  return parse_job("workload: w\n" + text, "x.yaml", overrides).workloads[0];
}
std::vector<std::string> cases(const std::string& text) {
  std::vector<std::string> all;
  for (const NamedValues& values : expand(workload(text))) all.push_back(to_text(values));
  return all;
}
std::string sweep_error(const std::string& text) {
  return test::message_of([&] { cases(text); });
}
using Texts = std::vector<std::string>;

TEST_CASE("No parameters make one case") { CHECK(cases("") == Texts{""}); }

TEST_CASE("Axes make their product, the last one turning fastest") {
  CHECK(cases("params: {n: [1, 2], m: 5, t: [a, b]}\n") ==
        Texts{"n=1 m=5 t=a", "n=1 m=5 t=b", "n=2 m=5 t=a", "n=2 m=5 t=b"});
}

TEST_CASE("Zipped axes advance together") {
  CHECK(cases("params: {n: [1, 2], t: [a, b], block: [32, 64]}\nzip: [[block, n]]\n") ==
        Texts{"n=1 t=a block=32", "n=1 t=b block=32", "n=2 t=a block=64", "n=2 t=b block=64"});
}

TEST_CASE("Zipped axes may repeat a value, not a combination") {
  CHECK(cases("params: {n: [1, 1], b: [2, 3]}\nzip: [[n, b]]\n") == Texts{"n=1 b=2", "n=1 b=3"});
  CHECK(sweep_error("params: {n: [1, 1], b: [2, 2]}\nzip: [[n, b]]\n") ==
        "x.yaml:2:17: n=1 b=2 is given twice");
}

TEST_CASE("Tuned parameters are axes like any other") {
  CHECK(cases("params: {n: [1, 2]}\ntune: {params: {block: [32, 64]}}\n") ==
        Texts{"n=1 block=32", "n=1 block=64", "n=2 block=32", "n=2 block=64"});
  CHECK(cases("params: {n: 1, block: [32, 64]}\ntune: {params: [block]}\n") ==
        Texts{"n=1 block=32", "n=1 block=64"});
}

TEST_CASE("A filter may match nothing if the command line sets a tuned parameter") {
  const WorkloadSpec narrowed = workload("tune: {params: {b: [1, 2, 3]}}\nexclude: [b > 2]\n",
                                         {.params = {"b=1,2"}, .settings = {}});
  CHECK(expand(narrowed).size() == 2);
}

TEST_CASE("The combinations of a search are not listed") {
  // 10^12 combinations: they are not visited.
  std::string values;
  for (int k = 0; k < 1000; ++k) values += fmt::format("{}{}", k == 0 ? "" : ", ", k);
  const std::string text = fmt::format(
      "params: {{n: [1, 2]}}\ntune: {{params: {{a: [{0}], b: [{0}], c: [{0}], d: [{0}]}}, budget: "
      "5}}\nexclude: [a == b]\n",
      values);
  CHECK(cases(text).empty());
  CHECK(cases("tune: {params: {b: [1, 2, 3]}, budget: 10min}\n").empty());
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2, 3]}, budget: 2}\nexclude: [c == 1]\n"),
             Contains("c"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 1]}, budget: 2}\n"), Contains("given twice"));
}

TEST_CASE("An invalid search is refused with its place") {
  CHECK(sweep_error("tune: {search: random}\n") ==
        "x.yaml:2:7: 'tune' needs 'params': the parameters to tune, such as {block: [64, 128]}");
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, search: random}\n"),
             Contains("x.yaml:2:37:") && Contains("needs a 'budget'"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, search: exhaustive, budget: 2}\n"),
             Contains("x.yaml:2:57:") && Contains("has no 'budget'"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, start_from: a.h5}\n"),
             Contains("x.yaml:2:41:") && Contains("give the search a 'budget'"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, budget: 0}\n"), Contains("budget"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, budget: 0s}\n"), Contains("budget"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, budget: soon}\n"), Contains("budget"));
  CHECK_THAT(sweep_error("tune: {params: [block]}\n"), Contains("unknown parameter 'block'"));
  CHECK_THAT(sweep_error("params: {b: 1}\ntune: {params: {b: [1, 2]}}\n"),
             Contains("parameter 'b' is given twice"));
  CHECK_THAT(sweep_error("tune: {params: {b: [1, 2]}, search: clever}\n"),
             Contains("must be one of auto, exhaustive, random, local, genetic, annealing"));
}

TEST_CASE("Filters see typed values and drop what they match") {
  CHECK(cases("params: {n: [1, 2, 3], t: [a, b]}\nexclude: [\"n > 1 and t == 'a'\", n == 3]\n") ==
        Texts{"n=1 t=a", "n=1 t=b", "n=2 t=b"});
}

TEST_CASE("The caller types the values") {
  const auto typer = [](const std::string& name, const Scalar& scalar) -> Value {
    if (name == "scale") return parse_real(scalar.text);
    return scalar.text;
  };
  const auto all = expand(workload("params: {scale: [1], dtype: 8}\n"), typer);
  CHECK(all[0][0].second == Value(1.0));
  CHECK(all[0][1].second == Value(std::string("8")));
}

TEST_CASE("An undeclared scalar has its natural type") {
  CHECK(natural_value({"2^20", {}, false}) == Value(std::int64_t{1048576}));
  CHECK(natural_value({"1.0", {}, false}) == Value(1.0));
  CHECK(natural_value({"1e6", {}, false}) == Value(1e6));
  CHECK(natural_value({"9223372036854775807", {}, false}) ==
        Value(std::int64_t{9223372036854775807}));
  CHECK(natural_value({"true", {}, false}) == Value(true));
  CHECK(natural_value({"float32", {}, false}) == Value(std::string("float32")));
  CHECK(natural_value({"1", {}, true}) == Value(std::string("1")));
}

TEST_CASE("Values that are equal once typed are repeats") {
  CHECK(sweep_error("params: {n: [1M, 1_000_000]}\n") == "x.yaml:2:18: n=1000000 is given twice");
}

TEST_CASE("Zips are checked") {
  CHECK(sweep_error("params: {n: [1, 2], b: [1, 2, 3]}\nzip: [[n, b]]\n") ==
        "x.yaml:3:11: 'zip': 'b' has 3 values, but 'n' has 2");
  CHECK(sweep_error("params: {n: [1, 2], block: [1, 2]}\nzip: [[n, blok]]\n") ==
        "x.yaml:3:11: 'zip': unknown parameter 'blok' (did you mean 'block'?)");
  CHECK(sweep_error("params: {n: 1, a: 1, b: 1}\nzip: [[n, a], [b, n]]\n") ==
        "x.yaml:3:19: 'zip': parameter 'n' is named twice");
}

TEST_CASE("Filters that match nothing, everything or unknown names are errors") {
  CHECK(sweep_error("params: {n: [1, 2]}\nexclude: [n > 5]\n") ==
        "x.yaml:3:11: the filter 'n > 5' excludes nothing: correct or remove it");
  CHECK(sweep_error("params: {n: [1, 2]}\nexclude: [n > 0]\n") ==
        "x.yaml:3:11: 'exclude' leaves no case: every one is excluded");
  CHECK(sweep_error("params: {block: [1, 2]}\nexclude: [block == 1 or blok == 2]\n")
            .starts_with("x.yaml:3:11: unknown name 'blok' (did you mean 'block'?), column 15"));
}

TEST_CASE("A filter may match nothing once the command line has replaced its axis") {
  const WorkloadSpec spec =
      workload("params: {n: [1, 9]}\nexclude: [n > 5]\n", {.params = {"n=1,2"}, .settings = {}});
  CHECK(Sweep(spec).size() == 2);
}

TEST_CASE("More cases than allowed are an error with the option to pass") {
  const std::string text = "params: {n: {range: [1, 200]}, m: {range: [1, 101]}}\n";
  CHECK(sweep_error(text) ==
        "x.yaml:1:1: 'w' expands to 20200 cases, more than the 10000 allowed: if this is intended, "
        "pass --allow-cases 20200");
  CHECK(expand(workload(text), nullptr, 20200).size() == 20200);
  std::string axes;
  for (char name = 'a'; name <= 'g'; ++name)
    axes += std::string("  ") + name + ": {range: [1, 1000]}\n";
  CHECK_THAT(sweep_error("params:\n" + axes),
             Contains("expands to more cases than can be counted"));
}

TEST_CASE("The limit counts the filtered combinations") {
  const std::string text =
      "params: {n: {range: [1, 200]}, m: {range: [1, 101]}}\nexclude: [n > 10]\n";
  CHECK(Sweep(workload(text)).size() == 1010);
}

TEST_CASE("A hundred thousand cases are expanded one after the other") {
  const WorkloadSpec spec = workload(
      "params: {n: {range: [1, 1000]}, m: {range: [1, 101]}, t: [float32]}\n"
      "exclude: [\"m == 101 and t == 'float32'\"]\n");
  std::size_t count = 0;
  std::int64_t sum = 0;
  for_each_combination(spec, nullptr, 100'000, [&](const NamedValues& values) {
    ++count;
    sum += std::get<std::int64_t>(values[0].second);
  });
  CHECK(count == 100'000);
  CHECK(sum == 100 * (1000 * 1001 / 2));
}

}  // namespace
}  // namespace kernelbatch
