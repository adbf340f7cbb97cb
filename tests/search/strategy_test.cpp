#include "core/search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A valley with steps, as for block sizes; combinations with the third parameter's last value
/// fail.
double time_of(const Configuration& c) {
  if (c[2] == 3) return NAN;
  const double x = c[0] - 11.0, y = c[1] - 5.0;
  return 1e-3 * (1 + 0.02 * x * x + 0.05 * y * y + (c[2] == 1 ? 0 : 0.3) + 0.03 * (c[0] % 3));
}

SearchSpace valley() {
  return SearchSpace({16, 12, 4},
                     [](std::span<const std::uint32_t> c) { return c[0] + c[1] < 24; });
}

/// The configurations requested by a search.
std::vector<Configuration> asked(Strategy& strategy, std::size_t most) {
  std::vector<Configuration> all;
  while (all.size() < most) {
    auto next = strategy.ask();
    if (!next) break;
    strategy.tell(*next, time_of(*next));
    all.push_back(std::move(*next));
  }
  return all;
}

TEST_CASE("Every strategy tries every configuration once, and then none") {
  const SearchSpace space = valley();
  std::size_t size = 0;
  for (std::uint64_t k = 0; k < space.combinations(); ++k) size += space.contains(space.at(k));
  for (const auto& row : Names<SearchStrategy>::rows) {
    CAPTURE(row.name);
    const auto strategy = make_strategy(row.value, space, 3);
    const auto all = asked(*strategy, 10'000);
    CHECK(all.size() == size);
    CHECK(std::set<Configuration>(all.begin(), all.end()).size() == size);
    for (const Configuration& each : all) CHECK(space.contains(each));
    REQUIRE(strategy->best() != nullptr);
    CHECK(strategy->best()->time == Approx(1.03e-3).margin(0.06e-3));
    CHECK(!strategy->ask());
  }
}

TEST_CASE("The same seed gives the same requests, another one others") {
  const SearchSpace space = valley();
  for (const auto& row : Names<SearchStrategy>::rows) {
    CAPTURE(row.name);
    const auto sequence = [&](std::uint64_t seed) {
      return asked(*make_strategy(row.value, space, seed), 60);
    };
    CHECK(sequence(1) == sequence(1));
    if (row.value != SearchStrategy::kExhaustive) CHECK(sequence(1) != sequence(2));
  }
}

TEST_CASE("Upcoming configurations are unknown, and those of a plan or of chance come next") {
  const SearchSpace space = valley();
  for (const auto& row : Names<SearchStrategy>::rows) {
    CAPTURE(row.name);
    const auto strategy = make_strategy(row.value, space, 3);
    const auto other = make_strategy(row.value, space, 3);
    int guessed = 0;
    for (int k = 0; k < 60; ++k) {
      const std::vector<Configuration> next = strategy->upcoming(4);
      CHECK(next.size() <= 4);
      for (const Configuration& each : next) {
        CHECK(space.contains(each));
        for (const Tried& tried : strategy->tried()) CHECK(tried.configuration != each);
      }
      const auto asked = strategy->ask();
      // Looking changes nothing.
      CHECK(asked == other->ask());
      guessed += static_cast<int>(std::ranges::count(next, *asked));
      strategy->tell(*asked, time_of(*asked));
      other->tell(*asked, time_of(*asked));
    }
    if (row.value == SearchStrategy::kRandom) CHECK(guessed == 60);
    // A walk plans nothing.
    if (row.value != SearchStrategy::kAnnealing) CHECK(guessed >= 15);
  }
}

TEST_CASE("Searches come close to the best in fewer tries than random") {
  const SearchSpace space = valley();
  double best = INFINITY;
  for (std::uint64_t k = 0; k < space.combinations(); ++k)
    if (space.contains(space.at(k))) best = std::fmin(best, time_of(space.at(k)));
  const auto mean_of_best = [&](SearchStrategy strategy) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto search = make_strategy(strategy, space, seed);
      asked(*search, 60);
      sum += search->best()->time / best / 20;
    }
    return sum;
  };
  const double random = mean_of_best(SearchStrategy::kRandom);
  CHECK(random > 1.05);
  CHECK(mean_of_best(SearchStrategy::kAuto) < 1 + (random - 1) / 3);
  CHECK(mean_of_best(SearchStrategy::kLocal) < 1 + (random - 1) / 2);
  CHECK(mean_of_best(SearchStrategy::kGenetic) < random);
  // A walk is almost random at first.
  CHECK(mean_of_best(SearchStrategy::kAnnealing) < 1 + 2 * (random - 1));
}

TEST_CASE("Tries of others are known, and a second report changes nothing") {
  const SearchSpace space({4});
  for (const auto& row : Names<SearchStrategy>::rows) {
    CAPTURE(row.name);
    const auto strategy = make_strategy(row.value, space, 1);
    strategy->tell({2}, 1.0);
    strategy->tell({2}, 0.5);
    strategy->tell({1}, NAN);
    CHECK(strategy->best()->time == 1.0);
    std::set<Configuration> left;
    while (const auto next = strategy->ask()) left.insert(*next);  // nothing is reported meanwhile
    CHECK(left == std::set<Configuration>{{0}, {3}});
    strategy->tell({3}, 0.25);
    CHECK(strategy->best()->configuration == Configuration{3});
    CHECK(strategy->tried().size() == 3);
  }
}

TEST_CASE("A search with only failures continues to the end") {
  const SearchSpace space({5, 5});
  for (const auto& row : Names<SearchStrategy>::rows) {
    CAPTURE(row.name);
    const auto strategy = make_strategy(row.value, space, 1);
    std::size_t tries = 0;
    while (const auto next = strategy->ask()) {
      strategy->tell(*next, NAN);
      ++tries;
    }
    CHECK(tries == 25);
    CHECK(strategy->best() == nullptr);
  }
}

}  // namespace
}  // namespace kernelbatch
