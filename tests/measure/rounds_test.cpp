#include "core/measure/rounds.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

MeasureSpec short_spec() {
  MeasureSpec spec;
  spec.min_samples = spec.max_samples = 8;
  spec.warmup = 0;
  return spec;
}

/// Variants "a", "b", … of one case on the host, which record their runs.
class Case {
 public:
  /// Times those variants; returns the result of time_in_turns().
  bool run(const std::string& names) {
    std::vector<std::unique_ptr<VariantTimer>> timers;
    std::vector<int> counts(names.size());
    std::vector<TimedVariant> variants;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string name = names.substr(k, 1);
      timers.push_back(std::make_unique<VariantTimer>(
          [this, name, &count = counts[k]] {
            runs += name;
            if (++count == 3 && throws_at_third == name) throw std::runtime_error("third");
          },
          std::vector<Stream*>{&test::stream()}, short_spec(), tools_));
      variants.push_back({name, timers.back().get(), nullptr, [this, name] {
                            left += name;
                            if (throws_when_left == name) throw std::runtime_error("left");
                          }});
    }
    const bool is_complete = time_in_turns(
        variants, {.on_turn =
                       [this](const std::string& name) {
                         turns += name;
                         return turns.size() < most_turns;
                       },
                   .breaks_device = [this](const std::exception_ptr&) { return breaks_device; }});
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (variants[k].failure)
        failed += names[k];
      else if (timers[k]->finish().cold.samples == 8)
        complete += names[k];
    }
    return is_complete;
  }

  std::string runs;   ///< one letter per run of the work
  std::string turns;  ///< as reported
  std::string left;   ///< variants whose turn was followed by another's
  std::string complete, failed;
  std::string throws_at_third, throws_when_left;  ///< a variant
  std::size_t most_turns = 1000;
  bool breaks_device = false;

 private:
  TimingTools tools_{test::device(), TimingTools::Style::kShielded};
};

TEST_CASE("Variants alternate, and each gets all of its samples") {
  Case each;
  CHECK(each.run("abc"));
  CHECK(each.complete == "abc");
  // Turns end at the stop rule's checks: after half of the samples, then at their end.
  CHECK(each.turns.starts_with("abcabcabc"));
  const auto at = [&](char name, std::size_t nth) {
    std::size_t found = std::string::npos;
    for (std::size_t k = 0; k < nth; ++k) found = each.runs.find(name, found + 1);
    return found;
  };
  CHECK(at('c', 1) < at('a', 7));
  CHECK(at('a', 7) < at('c', 7));
}

TEST_CASE("A single variant has no turns to wait for") {
  Case each;
  CHECK(each.run("a"));
  CHECK(each.runs == std::string(8, 'a'));
  CHECK(each.turns == "a");
}

TEST_CASE("Only the variant that throws in its turn fails") {
  Case each;
  each.throws_at_third = "b";
  CHECK(each.run("abc"));
  CHECK(each.failed == "b");
  CHECK(each.complete == "ac");
  CHECK(std::count(each.runs.begin(), each.runs.end(), 'b') == 3);
}

TEST_CASE("A failure that breaks the device ends the rounds") {
  Case each;
  each.throws_at_third = "b";
  each.breaks_device = true;
  CHECK_FALSE(each.run("abcd"));
  CHECK(each.failed == "b");
  CHECK(each.complete.empty());
}

TEST_CASE("Rounds end if a turn is refused") {
  Case each;
  each.most_turns = 5;
  CHECK_FALSE(each.run("abc"));
  CHECK(each.turns == "abcab");
  CHECK(each.failed.empty());
  CHECK(each.complete.empty());
}

TEST_CASE("A variant leaves its turn only when another one's begins") {
  Case several;
  CHECK(several.run("abc"));
  // The last turn ends with the rounds.
  CHECK(several.left + several.turns.back() == several.turns);
  Case alone;
  CHECK(alone.run("a"));
  CHECK(alone.left.empty());
}

TEST_CASE("A variant that fails has nothing to leave") {
  Case each;
  each.throws_at_third = "b";
  CHECK(each.run("abc"));
  const auto turns = std::ranges::count(each.turns, 'b');
  CHECK(std::ranges::count(each.left, 'b') == turns - 1);
}

TEST_CASE("An error found as a variant leaves its turn fails only that variant") {
  Case each;
  each.throws_when_left = "b";
  CHECK(each.run("abc"));
  CHECK(each.failed == "b");
  CHECK(each.complete == "ac");
  CHECK(std::ranges::count(each.left, 'b') == 1);
}

TEST_CASE("A failure that breaks the device as a variant leaves its turn ends the rounds") {
  Case each;
  each.throws_when_left = "b";
  each.breaks_device = true;
  CHECK_FALSE(each.run("abc"));
  CHECK(each.failed == "b");
  CHECK(each.complete.empty());
}

}  // namespace
}  // namespace kernelbatch
