#include "core/measure/stopping.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

MeasureSpec spec_of(int least, int most, double noise, double timeout_s = 100) {
  MeasureSpec spec;
  spec.min_samples = least;
  spec.max_samples = most;
  spec.noise = noise;
  spec.timeout_s = timeout_s;
  return spec;
}

struct Outcome {
  std::size_t samples = 0;
  std::string reason;
};

/// Feeds a rule with sample(k) until it stops; each sample takes `each_s` seconds.
template <class Sample>
Outcome run(const MeasureSpec& spec, const Sample& sample, double each_s = 0) {
  StopRule rule(spec);
  std::vector<double> times;
  while (rule.wants_more(times, each_s * static_cast<double>(times.size())) &&
         times.size() < 1000000)
    times.push_back(sample(times.size()));
  CHECK_FALSE(rule.wants_more(times, 0));
  return {times.size(), rule.reason()};
}

double constant(std::size_t) { return 1e-3; }
/// Evenly distributed over ±10 %, in pseudo-random order.
double scattered(std::size_t k) {
  return 1e-3 * (0.9 + 0.2 * static_cast<double>(k * 7 % 101) / 100);
}

TEST_CASE("Samples that agree stop at the minimum number") {
  const Outcome outcome = run(spec_of(10, 1000, 0.005), constant);
  CHECK(outcome.samples == 10);
  CHECK_THAT(outcome.reason, Contains("interval of 0 %"));
}

TEST_CASE("Too few samples for an interval are judged by their scatter") {
  CHECK_THAT(run(spec_of(5, 1000, 0.02), constant).reason, Contains("noise of 0 %"));
  CHECK(run(spec_of(5, 1000, 0.02), constant).samples == 5);
  CHECK(run(spec_of(1, 1000, 0.02), constant).samples <= 6);
}

TEST_CASE("Scattered samples are taken until the interval is narrow") {
  const Outcome wide = run(spec_of(10, 100000, 0.02), scattered);
  const Outcome narrow = run(spec_of(10, 100000, 0.005), scattered);
  CHECK(wide.samples > 50);
  CHECK(narrow.samples > 4 * wide.samples);
  CHECK_THAT(narrow.reason, Contains("interval of") && Contains("wanted 0.5 %"));
}

TEST_CASE("max_samples ends the series exactly there") {
  const Outcome outcome = run(spec_of(1, 77, 1e-9), scattered);
  CHECK(outcome.samples == 77);
  CHECK_THAT(outcome.reason, Contains("77 samples, the most allowed"));
  CHECK(run(spec_of(1, 1, 0.5), constant).samples == 1);
}

TEST_CASE("A time-out ends the series after at least one sample, and reports its progress") {
  const Outcome some = run(spec_of(10, 100000, 1e-9, 1), scattered, 0.1);
  CHECK(some.samples == 10);
  CHECK_THAT(some.reason, Contains("time-out of 1 s with interval of"));
  const Outcome one = run(spec_of(10, 100000, 1e-9, 1), scattered, 5);
  CHECK(one.samples == 1);
  CHECK_THAT(one.reason, Contains("too few for an interval"));
}

TEST_CASE("The rule returns its next check, at growing intervals") {
  StopRule rule(spec_of(10, 100000, 1e-9));
  std::vector<double> times;
  std::vector<std::size_t> looks;
  while (times.size() < 1000 && rule.wants_more(times, 0)) {
    if (looks.empty() || rule.next_look() != looks.back()) looks.push_back(rule.next_look());
    CHECK(rule.next_look() > times.size());
    times.push_back(scattered(times.size()));
  }
  CHECK(looks.front() == 5);
  CHECK(looks[1] == 10);
  CHECK(looks.size() < 60);
}

TEST_CASE("The remaining time is estimated from the samples so far") {
  const StopRule rule(spec_of(10, 1000, 0.01, 100));
  CHECK(rule.left({}, 0) == 0);  // unknown
  // Too few for an interval: assume the minimum number.
  CHECK(rule.left(std::vector<double>(2, 1e-3), 4) == Approx(8 * 2));
  CHECK(StopRule(spec_of(1, 1000, 0.01)).left(std::vector<double>(2, 1e-3), 4) == Approx(4 * 2));
  // No scatter: the interval need not become narrower.
  CHECK(rule.left(std::vector<double>(8, 1e-3), 4) == Approx(2 * 0.5));
  CHECK(rule.left(std::vector<double>(20, 1e-3), 4) == 0);
  // Never beyond the time-out.
  CHECK(rule.left(std::vector<double>(2, 1e-3), 99) == Approx(1));
  CHECK(rule.left(std::vector<double>(2, 1e-3), 200) == 0);
}

TEST_CASE("The estimate for scattered samples is about right") {
  const MeasureSpec spec = spec_of(10, 100000, 0.005);
  const std::size_t samples = run(spec, scattered).samples;
  const StopRule rule(spec);
  std::vector<double> times;
  for (std::size_t k = 0; k < samples; ++k) {
    times.push_back(scattered(k));
    if (k < samples / 10 || k > samples / 2 || k % 50 != 0) continue;
    const auto count = static_cast<double>(times.size());
    const double all = count + rule.left(times, count * 1e-5) / 1e-5;
    CAPTURE(k, samples);
    CHECK(all > 0.5 * static_cast<double>(samples));
    CHECK(all < 2.5 * static_cast<double>(samples));
  }
}

}  // namespace
}  // namespace kernelbatch
