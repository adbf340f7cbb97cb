#include "core/search/space.hpp"

#include <map>
#include <set>
#include <stdexcept>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Configurations and their numbers are each other's inverse") {
  const SearchSpace space({3, 1, 4});
  CHECK(space.combinations() == 12);
  std::set<Configuration> all;
  for (std::uint64_t number = 0; number < 12; ++number) {
    all.insert(space.at(number));
    CHECK(space.number_of(space.at(number)) == number);
  }
  CHECK(all.size() == 12);
  CHECK(space.at(1) == Configuration{0, 0, 1});
}

TEST_CASE("Combinations that the filter drops are never returned") {
  const auto even = [](std::span<const std::uint32_t> c) { return (c[0] + c[1]) % 2 == 0; };
  const SearchSpace space({4, 5}, even);
  CHECK(space.contains(Configuration{1, 3}));
  CHECK(!space.contains(Configuration{1, 2}));
  CHECK(!space.contains(Configuration{4, 0}));
  CHECK(!space.contains(Configuration{1}));
  SearchRandom random(1);
  std::map<Configuration, int> found;
  for (int k = 0; k < 10'000; ++k) ++found[space.random(random).value()];
  CHECK(found.size() == 10);
  for (const auto& [configuration, times] : found) {
    CHECK(even(configuration));
    CHECK((times > 800 && times < 1200));
  }
  for (const Configuration& each : space.neighbours({1, 3})) {
    CHECK(even(each));
    CHECK((each[0] == 1) != (each[1] == 3));
  }
  CHECK(space.neighbours({1, 3}).size() == 2);
}

TEST_CASE("A single passing one of ten million is found, and none if none passes") {
  const SearchSpace one({10, 10, 10, 10, 10, 10, 10}, [](std::span<const std::uint32_t> c) {
    return c[0] == 7 && c[1] == 7 && c[2] == 7 && c[3] == 7 && c[4] == 7 && c[5] == 7 && c[6] == 7;
  });
  SearchRandom random(1);
  CHECK(one.random(random) == Configuration(7, 7));
  const SearchSpace none({10, 10}, [](std::span<const std::uint32_t>) { return false; });
  CHECK(!none.random(random));
}

TEST_CASE("Invalid spaces are refused") {
  CHECK_THROWS_AS(SearchSpace({}), std::invalid_argument);
  CHECK_THROWS_AS(SearchSpace({2, 0}), std::invalid_argument);
  CHECK_THROWS_AS(SearchSpace(std::vector<std::uint32_t>(16, 1 << 10)), std::invalid_argument);
}

}  // namespace
}  // namespace kernelbatch
