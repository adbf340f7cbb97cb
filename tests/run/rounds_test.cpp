#include "core/run/rounds.hpp"

#include <stdexcept>

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

/// Variants "a", "b", … of one case on the host, each of which notes its runs.
class Case {
 public:
  explicit Case(bool is_interleaved)
      : rounds_(is_interleaved,
                {.run_next = [this] { return run_next(); },
                 .on_turn = [this](const std::string& name) { turns += name; },
                 .breaks_device = [this](const std::exception_ptr&) { return breaks_device; }}) {}

  void run(const std::string& names) {
    waiting_ = names;
    while (!waiting_.empty() && !is_broken) run_next();
  }

  std::string runs;   ///< a letter per run of the work
  std::string turns;  ///< as told
  std::string ended;  ///< in this order
  std::string failed, broken;
  std::string throws_at_third;  ///< variants
  std::size_t room = 100;       ///< variants that can be held at once
  bool breaks_device = false, is_broken = false;

 private:
  bool run_next() {
    if (waiting_.empty() || rounds_.held() >= room) return false;
    const std::string name = waiting_.substr(0, 1);
    waiting_.erase(0, 1);
    int count = 0;
    VariantTimer timer(
        [&, name] {
          runs += name;
          if (++count == 3 && throws_at_third.find(name) != std::string::npos)
            throw std::runtime_error("third");
        },
        {&test::stream()}, short_spec(), tools_);
    try {
      rounds_.time(name, timer);
      CHECK(timer.finish().cold.samples == 8);
      ended += name;
    } catch (const RoundsBroken&) {
      is_broken = true;
      broken += name;
    } catch (const std::runtime_error&) {
      failed += name;
    }
    return true;
  }

  TimingTools tools_{test::device(), TimingTools::Style::kShielded};
  Rounds rounds_;
  std::string waiting_;
};

TEST_CASE("Variants take turns, and each has all its samples") {
  Case each(true);
  each.run("abc");
  CHECK(each.ended == "cba");
  // Turns end where the stop rule looks: after half of the samples, then at their end.
  CHECK(each.turns.starts_with("abcabcabc"));
  const auto at = [&](char name, std::size_t nth) {
    std::size_t found = std::string::npos;
    for (std::size_t k = 0; k < nth; ++k) found = each.runs.find(name, found + 1);
    return found;
  };
  CHECK(at('c', 1) < at('a', 7));
  CHECK(at('a', 7) < at('c', 7));
}

TEST_CASE("Without interleaving each variant ends before the next begins") {
  Case each(false);
  each.run("abc");
  CHECK(each.ended == "abc");
  CHECK(each.runs == std::string(8, 'a') + std::string(8, 'b') + std::string(8, 'c'));
}

TEST_CASE("Variants for which there is no room wait until the others have ended") {
  Case each(true);
  each.room = 2;
  each.run("abcde");
  CHECK(each.ended == "badce");
}

TEST_CASE("A variant that throws in its turn fails alone") {
  Case each(true);
  each.throws_at_third = "b";
  each.run("abc");
  CHECK(each.failed == "b");
  CHECK(each.ended == "ca");
  CHECK(std::count(each.runs.begin(), each.runs.end(), 'b') == 3);
}

TEST_CASE("A failure that breaks the device ends the rounds, and nobody else has a result") {
  Case each(true);
  each.throws_at_third = "b";
  each.breaks_device = true;
  each.run("abcd");
  CHECK(each.failed == "b");
  CHECK(each.ended.empty());
  CHECK(each.broken == "dca");
}

}  // namespace
}  // namespace kernelbatch
