// Cases of a task, and how evenly their costs are distributed.
#include "core/run/partition.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

WorkloadSpec spec_of(const std::string& text) {
  return parse_job("workload: /dev/null\n" + text, "x.yaml").workloads.front();
}

double number(const NamedValues& values, const char* name) {
  return static_cast<double>(std::get<std::int64_t>(*find_value(values, name)));
}

/// n × m elements.
std::vector<double> bytes_of(const std::vector<NamedValues>& cases) {
  std::vector<double> bytes;
  for (const NamedValues& values : cases)
    bytes.push_back(4 * number(values, "n") * number(values, "m"));
  return bytes;
}

std::vector<double> costs_of(const Sweep& sweep, const CostModel& model) {
  std::vector<double> costs;
  sweep.for_each_place([&](std::span<const std::size_t> at) { costs.push_back(model.of(at)); });
  return costs;
}

/// The largest share over the mean one.
double imbalance(const std::vector<double>& costs, std::size_t count, bool by_cost) {
  std::vector<double> shares(count, 0);
  for (std::size_t index = 0; index < count; ++index)
    if (by_cost)
      for (const OwnCase& own : own_cases(costs, {index, count}))
        shares[index] += costs[own.number];
    else
      for (std::size_t k = index; k < costs.size(); k += count) shares[index] += costs[k];
  const double mean =
      std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(count);
  return *std::ranges::max_element(shares) / mean;
}

TEST_CASE("The snake order gives one case to each task in each turn") {
  std::vector<std::size_t> tasks;
  for (std::size_t rank = 0; rank < 7; ++rank) tasks.push_back(owner_of(rank, 3));
  CHECK(tasks == std::vector<std::size_t>{0, 1, 2, 2, 1, 0, 0});
}

TEST_CASE("The parts are disjoint and make up the whole, at any number of tasks") {
  std::vector<double> costs;
  for (int k = 0; k < 100; ++k) costs.push_back(k * 37 % 11);
  for (const std::size_t count : {1u, 2u, 7u, 99u, 100u, 150u}) {
    std::set<std::size_t> numbers, ranks;
    for (std::size_t index = 0; index < count; ++index) {
      const std::vector<OwnCase> own = own_cases(costs, {index, count});
      CHECK(own.size() <= 100 / count + 1);
      CHECK(std::ranges::is_sorted(own, {}, &OwnCase::number));
      for (const OwnCase& each : own) {
        CHECK(owner_of(each.rank, count) == index);
        CHECK(numbers.insert(each.number).second);
        CHECK(ranks.insert(each.rank).second);
      }
    }
    CHECK(numbers.size() == 100);
    CHECK(*ranks.rbegin() == 99);
  }
}

TEST_CASE("A cost model of few queries is exact for products, also with zipped and filtered axes") {
  const auto check = [](const std::string& text, std::size_t questions) {
    const Sweep sweep(spec_of(text));
    std::size_t asked = 0;
    const CostModel model(
        sweep, [&](const auto& cases) { return asked = cases.size(), bytes_of(cases); }, 3);
    CHECK(asked == questions);
    std::vector<double> wanted = bytes_of(sweep.combinations());
    for (double& cost : wanted) cost *= 3;
    const std::vector<double> costs = costs_of(sweep, model);
    REQUIRE(costs.size() == wanted.size());
    for (std::size_t k = 0; k < costs.size(); ++k) CHECK(costs[k] == Approx(wanted[k]));
  };
  check("params: {n: [1, 10, 100], b: [1, 2], m: [5, 6, 7, 8]}\n", 7);
  check("params: {n: [1, 10, 100], m: [5, 6, 7], b: [1, 2]}\nzip: [[n, m]]\n", 4);
  check("params: {n: [1, 10, 100], m: [5, 6, 7]}\nexclude: ['n == 10 and m > 5']\n", 5);
}

TEST_CASE("Cases without a known footprint cost the same") {
  const Sweep sweep(spec_of("params: {n: [1, 10, 100], m: [1, 2]}\n"));
  const CostModel unknown(
      sweep, [](const auto& cases) { return std::vector<double>(cases.size(), 0); }, 2);
  for (const double cost : costs_of(sweep, unknown)) CHECK(cost == 2);
  const CostModel silent(sweep, nullptr, 2);
  for (const double cost : costs_of(sweep, silent)) CHECK(cost == 2);
}

TEST_CASE("Sweeps over sizes are balanced, unlike every k-th case") {
  // The last axis varies fastest: with as many tasks as it has values, each task would have only
  // one of them.
  const Sweep sweep(
      spec_of("params: {m: [1, 2, 3, 4, 5, 6, 7, 8], n: {pow2: [12, 27, 1]}, b: [0]}\n"));
  const std::vector<double> costs = costs_of(sweep, CostModel(sweep, bytes_of, 2));
  for (const std::size_t count : {2u, 4u, 8u, 16u}) {
    INFO(count << " tasks: every k-th " << imbalance(costs, count, false) << ", by cost "
               << imbalance(costs, count, true));
    CHECK(imbalance(costs, count, true) <= imbalance(costs, count, false));
    CHECK(imbalance(costs, count, true) < 2);
  }
  CHECK(imbalance(costs, 16, false) > 7);
}

TEST_CASE("A part's folder name has its index, the number of parts and the rule") {
  CHECK(shard_name({0, 1}) == "0");
  CHECK(shard_name({1, 3}) == "2-of-3-by-cost");
}

}  // namespace
}  // namespace kernelbatch
