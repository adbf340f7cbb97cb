#include "core/job/generator.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

std::vector<std::string> values(const std::string& text) {
  std::vector<std::string> texts;
  for (const Scalar& scalar : expand_generator(parse_yaml(text, "a.yaml"), "n"))
    texts.push_back(scalar.text);
  return texts;
}
std::string generator_error(const std::string& text) {
  return test::message_of([&] { values(text); });
}
using Texts = std::vector<std::string>;

TEST_CASE("pow2 includes both ends and is exact") {
  CHECK(values("{pow2: [20, 26, 2]}") == Texts{"1048576", "4194304", "16777216", "67108864"});
  CHECK(values("{pow2: [0, 2]}") == Texts{"1", "2", "4"});
  CHECK(values("{pow2: [62, 62]}") == Texts{"4611686018427387904"});
}

TEST_CASE("range includes its end if it reaches it") {
  CHECK(values("{range: [1, 3]}") == Texts{"1", "2", "3"});
  CHECK(values("{range: [0, 10, 4]}") == Texts{"0", "4", "8"});
  CHECK(values("{range: [3, 1, -1]}") == Texts{"3", "2", "1"});
  CHECK(values("{range: [1e6, 3e6, 1e6]}") == Texts{"1000000", "2000000", "3000000"});
  CHECK(values("{range: [0, 0.3, 0.1]}") == Texts{"0.0", "0.1", "0.2", "0.3"});
  CHECK(values("{range: [0, 1, 0.1]}").size() == 11);
  CHECK(values("{range: [9007199254740993, 9007199254740994]}") ==
        Texts{"9007199254740993", "9007199254740994"});
}

TEST_CASE("linspace keeps integers if the step is an integer") {
  CHECK(values("{linspace: [1e6, 7e6, 3]}") == Texts{"1000000", "4000000", "7000000"});
  CHECK(values("{linspace: [0, 1, 3]}") == Texts{"0.0", "0.5", "1.0"});
  CHECK(values("{linspace: [5, 5, 1]}") == Texts{"5"});
}

TEST_CASE("logspace has equal ratios, rounded between integer ends") {
  CHECK(values("{logspace: [1e3, 1e6, 4]}") == Texts{"1000", "10000", "100000", "1000000"});
  CHECK(values("{logspace: [1, 100, 5]}") == Texts{"1", "3", "10", "32", "100"});
  CHECK(values("{logspace: [1, 4, 9]}") == Texts{"1", "2", "3", "4"});
  CHECK(values("{logspace: [0.001, 1.0, 4]}") == Texts{"0.001", "0.01", "0.1", "1.0"});
}

TEST_CASE("Generators report missing arguments") {
  CHECK(generator_error("{rang: [1, 2]}") ==
        "a.yaml:1:2: unknown key 'rang' (did you mean 'range'?)");
  CHECK(generator_error("{range: [1]}") == "a.yaml:1:9: 'range' needs [lo, hi] or [lo, hi, step]");
  CHECK(generator_error("{range: 4}") == "a.yaml:1:9: 'range' needs [lo, hi] or [lo, hi, step]");
  CHECK(generator_error("{range: [1, 2, 0]}") == "a.yaml:1:9: 'range': the step is 0");
  CHECK(generator_error("{range: [5, 1]}") ==
        "a.yaml:1:9: 'range': no values: from 5 in steps of 1 never reaches 1");
  CHECK(generator_error("{range: [0, 1e9]}") == "a.yaml:1:9: 'range': more than 1000000 values");
  CHECK(generator_error("{linspace: [0, 1]}") == "a.yaml:1:12: 'linspace' needs [lo, hi, count]");
  CHECK(generator_error("{linspace: [0, 1, 2.5]}") ==
        "a.yaml:1:12: 'linspace': the count must be an integer of at least 2, not 2.5");
  CHECK(generator_error("{logspace: [0, 1, 4]}") ==
        "a.yaml:1:12: 'logspace': both ends must be above 0");
  CHECK(generator_error("{pow2: [1, 63]}") ==
        "a.yaml:1:8: 'pow2': the exponents must be integers with 0 <= lo <= hi <= 62");
  CHECK(generator_error("{pow2: [1, 4], range: [1, 2]}") ==
        "a.yaml:1:16: 'n' has two generators, 'pow2' and 'range'");
  CHECK_THAT(generator_error("{pow2: [1, big]}"),
             Contains("a.yaml:1:12: 'pow2': 'big' is not a number"));
}

}  // namespace
}  // namespace kernelbatch
