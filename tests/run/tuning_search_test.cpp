// Searches of a job without running anything: planning, choosing, dropping and starting points.
#include "core/run/search/tuning_search.hpp"

#include <cmath>
#include <set>

#include "core/job/parse.hpp"
#include "core/run/plan.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

WorkloadInfo tunable(const std::string&) {
  WorkloadInfo info;
  info.name = "demo";
  info.version = "1";
  info.parameters = {integer_parameter("n", 100, 1, 1e9, ""),
                     tuning_parameter(integer_parameter("block", 256, 1, 1024, "")),
                     tuning_parameter(integer_parameter("items", 1, 1, 64, ""))};
  info.outputs = {{"z", ""}};
  info.variants = {{"reference", VariantKind::kReference, "", nullptr},
                   {"jit", VariantKind::kJit, "", nullptr},
                   {"raw", VariantKind::kRaw, "", nullptr}};
  return info;
}

Plan searched(const std::string& text) {
  return make_plan(parse_job("workload: /dev/null\n" + text, "jobs/x.yaml"), tunable, 100);
}

/// 8 × 6 combinations of one problem and one variant.
Plan one_search(const std::string& more = "budget: 20") {
  return searched(
      "variants: [raw]\ntune: {params: {block: [32, 64, 96, 128, 192, 256, 512, 1024], items: [1, "
      "2, 4, 8, 16, 32]}, " +
      more + "}\n");
}

/// Best at block=192 and items=4; block=1024 cannot run.
Try answer(const Configuration& at) {
  if (at[0] == 7) return {.status = Status::kCompileFailed, .cold = {}, .spent_s = 0.5};
  const double time = 1e-3 * (1 + std::pow(at[0] - 4.0, 2) + std::pow(at[1] - 2.0, 2));
  Summary cold;
  cold.median = time;
  cold.ci95_low = 0.99 * time;
  cold.ci95_high = 1.01 * time;
  cold.iqr = 0.005 * time;
  return {.status = Status::kOk, .cold = cold, .spent_s = 0.25};
}

TEST_CASE("Each variant of each combination of the other parameters has a search") {
  const Plan plan = searched(
      "params: {n: [1, 2, 3]}\ntune: {params: {block: [32, 64], items: [1, 2, 4]}, budget: 4}\n");
  CHECK(plan.cases.empty());
  REQUIRE(plan.searches.size() == 6);
  CHECK(plan.searches[0].variant() == "jit");
  CHECK(plan.searches[1].variant() == "raw");
  CHECK(to_text(plan.searches[4].values({1, 2})) == "n=3 block=64 items=4");
  CHECK(plan.searches[0].space().combinations() == 6);
  CHECK(plan.results() == 24);
  // The same cases as those of the whole product.
  const Plan whole = searched("params: {n: [1, 2, 3], block: [32, 64], items: [1, 2, 4]}\n");
  std::set<std::string> ids;
  for (const PlannedCase& planned : whole.cases) ids.insert(planned.case_id);
  for (std::uint32_t block = 0; block < 2; ++block)
    for (std::uint32_t items = 0; items < 3; ++items)
      CHECK(ids.contains(plan.searches[2].case_id({block, items})));
}

TEST_CASE("A budget larger than the filtered space ends with the space") {
  const std::string tune =
      "variants: [raw]\ntune: {params: {block: [32, 64, 128], items: [1, 2, 4]}, budget: 100}\n";
  CHECK(searched(tune).results() == 9);
  const Plan plan = searched(tune + "exclude: [block * items > 128]\n");
  CHECK(plan.results() == 6);
  TuningSearch search(plan.searches.at(0), {});
  std::set<Configuration> tried;
  while (const auto next = search.next()) {
    CHECK(plan.searches[0].space().contains(*next));
    CHECK(tried.insert(*next).second);
    search.tell(*next, answer(*next));
  }
  CHECK(tried.size() == 6);
}

TEST_CASE("A filter may empty one problem, not all of them") {
  const std::string tune =
      "params: {n: [1, 2]}\nvariants: [raw]\ntune: {params: {block: [32, 64]}, budget: 2}\n";
  CHECK(searched(tune + "exclude: [n == 1]\n").searches.size() == 1);
  CHECK_THAT(test::message_of([&] { searched(tune + "exclude: [n > 0]\n"); }),
             Contains("jobs/x.yaml:5:") && Contains("leaves no case"));
}

TEST_CASE("Parameters that advance together are searched together or not at all") {
  const Plan plan = searched(
      "variants: [raw]\ntune: {params: {block: [32, 64], items: [1, 2]}, budget: 2}\n"
      "zip: [[block, items]]\n");
  CHECK(plan.searches.at(0).space().combinations() == 2);
  CHECK(to_text(plan.searches.at(0).values({1})) == "n=100 block=64 items=2");
  CHECK_THAT(test::message_of([] {
               searched(
                   "params: {n: [1, 2]}\nvariants: [raw]\ntune: {params: {block: [32, 64]}, "
                   "budget: 2}\nzip: [[n, block]]\n");
             }),
             Contains("'zip' joins 'n' and 'block'"));
}

TEST_CASE("A search of 10^12 combinations is planned without a list of them") {
  std::string values;
  for (int k = 1; k <= 1000; ++k) values += (k == 1 ? "" : ", ") + std::to_string(k);
  const Plan plan = searched("variants: [raw]\nparams: {n: 5}\ntune: {params: {block: [" + values +
                             "], items: [1, 2, 4]}, budget: 7}\nexclude: [block % 10 != 0]\n");
  CHECK(plan.searches.at(0).space().combinations() == 3000);
  CHECK(plan.results() == 7);
}

TEST_CASE("The budget counts every try, whatever its outcome") {
  const Plan plan = one_search();
  TuningSearch search(plan.searches.at(0), {});
  int tries = 0, failed = 0;
  while (const auto next = search.next()) {
    const Try made = answer(*next);
    ++tries;
    failed += made.status != Status::kOk;
    search.tell(*next, made);
  }
  CHECK(tries == 20);
  CHECK(failed > 0);
  CHECK(search.has_found());
}

TEST_CASE("A budget in time is spent by tries, by failed ones, too") {
  const Plan plan = one_search("search: random, budget: 3s");
  TuningSearch search(plan.searches.at(0), {});
  double spent = 0;
  while (const auto next = search.next()) {
    CHECK(spent < 3);
    const Try made = answer(*next);
    spent += made.spent_s;
    search.tell(*next, made);
  }
  CHECK(spent >= 3);
}

TEST_CASE("The same outcomes lead to the same configurations, wherever a search resumes") {
  for (const char* strategy : {"auto", "random", "local", "genetic", "annealing"}) {
    const Plan plan = one_search(std::string("search: ") + strategy + ", budget: 30, seed: 5");
    std::vector<Configuration> whole;
    TuningSearch search(plan.searches.at(0), {});
    while (const auto next = search.next()) {
      whole.push_back(*next);
      search.tell(*next, answer(*next));
    }
    CHECK(whole.size() == 30);
    TuningSearch again(plan.searches.at(0), {});
    for (const Configuration& expected : whole) {
      const auto next = again.next();
      REQUIRE(next);
      CHECK(*next == expected);
      again.tell(*next, answer(*next));
    }
    CHECK(!again.next());
    // Tasks that share a search start with different configurations.
    TuningSearch other(plan.searches.at(0), {}, 1);
    std::vector<Configuration> others;
    for (int k = 0; k < 5; ++k) {
      others.push_back(*other.next());
      other.tell(others.back(), answer(others.back()));
    }
    CHECK(!std::equal(others.begin(), others.end(), whole.begin()));
  }
}

TEST_CASE("Tries of other tasks are not repeated, and count") {
  const Plan plan = one_search();
  TuningSearch search(plan.searches.at(0), {});
  for (std::uint32_t k = 0; k < 6; ++k) search.tell({4, k}, answer({4, k}));
  int tries = 0;
  while (const auto next = search.next()) {
    CHECK((*next)[0] != 4);
    search.tell(*next, answer(*next));
    ++tries;
  }
  CHECK(tries == 14);
}

TEST_CASE("Racing drops tries that the best one's samples exclude") {
  const Plan plan = one_search();
  TuningSearch search(plan.searches.at(0), {});
  CHECK(search.drop_above() == 0);
  search.tell({7, 0}, answer({7, 0}));
  CHECK(search.drop_above() == 0);
  search.tell({4, 3}, answer({4, 3}));  // 2 ms
  const double limit = search.drop_above();
  CHECK(limit > 2.02e-3);
  CHECK(limit < 2.1e-3);
  search.tell({0, 0}, answer({0, 0}));
  CHECK(search.drop_above() == limit);
  search.tell({4, 2}, answer({4, 2}));  // 1 ms
  CHECK(search.drop_above() < 1.05e-3);
  // One that scatters more allows more.
  const Plan noisy = one_search();
  TuningSearch other(noisy.searches.at(0), {});
  Try made = answer({4, 2});
  made.cold.iqr = 0.2e-3;
  other.tell({4, 2}, made);
  CHECK(other.drop_above() > 1.5e-3);
  const Plan calm = one_search("budget: 5, racing: false");
  TuningSearch without(calm.searches.at(0), {});
  without.tell({4, 2}, answer({4, 2}));
  CHECK(without.drop_above() == 0);
}

TEST_CASE("A dropped try is known by its sample, and never the best") {
  const Plan plan = one_search();
  TuningSearch search(plan.searches.at(0), {});
  Try made = answer({4, 2});
  made.status = Status::kDropped;
  search.tell({4, 2}, made);
  CHECK(!search.has_found());
  CHECK(search.drop_above() == 0);
}

ResultRecord earlier(std::int64_t n, std::int64_t block, std::int64_t items, double time,
                     const std::string& device = "GPU A") {
  return test::MadeResult("raw", time)
      .of("demo")
      .on(device)
      .with("n", n)
      .with("block", block)
      .with("items", items)
      .made();
}

TEST_CASE("A search starts with earlier results: the same problem first, the best of each") {
  const Plan plan = one_search("budget: 6, start_from: /dev/null");
  const PlannedSearch& planned = plan.searches.at(0);
  std::vector<ResultRecord> results{earlier(7, 32, 1, 3e-3), earlier(7, 64, 1, 2e-3),
                                    earlier(7, 96, 1, 1e-3), earlier(100, 512, 8, 9e-3, "GPU B"),
                                    earlier(100, 48, 1, 1e-9)};  // 48 is not among the values
  results.push_back(earlier(7, 128, 1, 1e-6));
  results.back().status = Status::kVerificationFailed;
  results.push_back(earlier(7, 128, 2, 1e-6));
  results.back().variant = "jit";
  const std::vector<Configuration> first = earlier_best(planned, "demo", results);
  CHECK(first == std::vector<Configuration>{{6, 3}, {2, 0}, {1, 0}, {0, 0}});
  CHECK(earlier_best(planned, "other", results).empty());

  TuningSearch search(planned, first);
  CHECK(search.gain_text().empty());
  for (const Configuration& expected : first) {
    const auto next = search.next();
    REQUIRE(next);
    CHECK(*next == expected);
    search.tell(*next, answer(*next));
  }
  search.tell({4, 2}, answer({4, 2}));
  CHECK_THAT(search.gain_text(), Contains("4 configurations of /dev/null were tried first") &&
                                     Contains("all 5 tries 1.00 ms"));
}

}  // namespace
}  // namespace kernelbatch
