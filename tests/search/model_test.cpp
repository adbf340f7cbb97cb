#include "core/search/model.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

std::vector<Configuration> grid(std::uint32_t rows, std::uint32_t columns) {
  std::vector<Configuration> all;
  for (std::uint32_t a = 0; a < rows; a += 2)
    for (std::uint32_t b = 0; b < columns; b += 2) all.push_back({a, b});
  return all;
}

double value(const Configuration& c) { return std::sin(0.3 * c[0]); }

void tell(GaussianProcess& model) {
  std::vector<double> values;
  for (const Configuration& each : grid(20, 6)) values.push_back(value(each));
  model.set(grid(20, 6), values);
}

TEST_CASE("Known values are predicted closely, distant ones are uncertain") {
  const SearchSpace space({20, 6});
  GaussianProcess model(space);
  tell(model);
  model.fit(6);
  for (const Configuration& each : {Configuration{5, 3}, {11, 1}, {17, 5}}) {
    const auto said = model.predict(each);
    CHECK(said.mean == Approx(value(each)).margin(0.25));
    CHECK(std::abs(said.mean - value(each)) < 4 * said.deviation + 0.05);
  }
  const auto known = model.predict({4, 2});
  CHECK(known.mean == Approx(value({4, 2})).margin(0.05));
  CHECK(known.deviation < model.predict({5, 3}).deviation);
  // The second parameter has no effect.
  CHECK(model.weights()[1] < model.weights()[0] / 2);
}

TEST_CASE("The bound of a deviation is no less than the deviation") {
  const SearchSpace space({20, 6});
  GaussianProcess model(space);
  tell(model);
  for (std::uint64_t number = 0; number < space.combinations(); ++number) {
    const auto exact = model.predict(space.at(number)), bound = model.estimate(space.at(number));
    CHECK(bound.mean == Approx(exact.mean).margin(1e-9));
    CHECK(bound.deviation > exact.deviation - 1e-6);
  }
}

TEST_CASE("Adding values one by one gives the same model as all at once") {
  const SearchSpace space({20, 6});
  GaussianProcess slow(space), fast(space);
  const std::vector<Configuration> all = grid(20, 6);
  std::vector<double> values;
  for (std::size_t k = 0; k < all.size(); ++k) {
    values.push_back(value(all[k]));
    fast.set({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k + 1)}, values);
  }
  slow.set(all, values);
  for (std::uint64_t number = 0; number < space.combinations(); number += 7) {
    CHECK(fast.predict(space.at(number)).mean == Approx(slow.predict(space.at(number)).mean));
    CHECK(fast.predict(space.at(number)).deviation ==
          Approx(slow.predict(space.at(number)).deviation).margin(1e-9));
  }
}

}  // namespace
}  // namespace kernelbatch
