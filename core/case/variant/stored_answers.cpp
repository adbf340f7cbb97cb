#include "core/case/variant/stored_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/base/text.hpp"
#include "core/measure/suspicion.hpp"

namespace kernelbatch {
namespace {

/// A call on unknown inputs that is slower by this factor and time indicates stored answers.
constexpr double kSlower = 1.7, kSlowerSeconds = 2e-6;
constexpr std::int64_t kFewestKnown = 5;
/// Calls longer than this are repeated rarely: disturbances of the machine are short in comparison.
constexpr double kLongCall = 50e-3;

/// Number of pairs of alternating timings, and of those that must agree: a busy machine spoils
/// some.
struct Pairs {
  int tries = 15, wanted = 8;
};
constexpr Pairs kManyPairs{}, kFewPairs{4, 4};
/// Number of initial pairs without a difference after which the comparison of two sets ends.
constexpr int kClearPairs = 3;

/// True if the wanted number of tries succeed. Stops as soon as that is decided.
template <class Try>
bool happens(Pairs pairs, const Try& succeeds) {
  int successes = 0, failures = 0;
  while (successes < pairs.wanted && failures <= pairs.tries - pairs.wanted)
    ++(succeeds() ? successes : failures);
  return successes == pairs.wanted;
}

}  // namespace

std::string compare_sets(const TimedCalls& timed, std::span<const Summary> by_set) {
  if (!timed.memory.has_second() || !may_differ_by_set(by_set)) return "";
  // Alternate the sets: the device may have been slow during the calls on one set, and on a busy
  // machine one set may have few samples.
  timed.calls.end_turns();
  const auto time_on = [&](std::size_t set) {
    timed.calls.use_set(set);
    const double once = timed.time_s();
    return once > kLongCall ? once : std::min(once, timed.time_s());
  };
  std::array<double, 2> fastest = {HUGE_VAL, HUGE_VAL};
  const auto is_slower = [](double slow_s, double fast_s) {
    return slow_s > kSlower * fast_s + kSlowerSeconds;
  };
  std::array<int, 2> slower = {0, 0};
  Pairs pairs = kManyPairs;
  for (int pair = 0; std::max(slower[0], slower[1]) < pairs.wanted; ++pair) {
    const int most = std::max(slower[0], slower[1]);
    if (pairs.tries - pair < pairs.wanted - most || (pair == kClearPairs && most == 0)) return "";
    std::array<double, 2> times = {};
    // Alternate the order, so that a device that slows down favours neither.
    const std::size_t begin = static_cast<std::size_t>(pair) % 2;
    for (const std::size_t set : {begin, 1 - begin}) times[set] = time_on(set);
    if (pair == 0 && std::max(times[0], times[1]) > kLongCall) pairs = kFewPairs;
    for (std::size_t set : {0u, 1u}) {
      slower[set] += is_slower(times[set], times[1 - set]) ? 1 : 0;
      fastest[set] = std::min(fastest[set], times[set]);
    }
  }
  const auto [fast_s, slow_s] = std::minmax(fastest[0], fastest[1]);
  return is_slower(slow_s, fast_s) ? different_by_set(fast_s, slow_s) : "";
}

std::string look_for_memory(const TimedCalls& timed, const Summary& known) {
  if (!timed.memory.can_mix()) return "";
  // After an exchange between calls, known inputs would be new to it again.
  timed.calls.end_turns();
  std::mt19937_64 random(std::random_device{}());
  const auto mix = [&](std::uint64_t seed) { timed.memory.mix(seed, timed.stream); };
  const auto time_unknown = [&] {
    const std::uint64_t seed = random();
    double time = 0;
    mix(seed);
    timed.calls.on_unknown([&] { time = timed.time_s(); });
    mix(seed);
    return time;
  };
  // The fastest known call, since on a busy machine every quantile is slower. This is only a first
  // check; the decision is made below.
  double fastest = known.samples > 0 ? known.min : HUGE_VAL;
  for (std::int64_t k = known.samples;
       k < kFewestKnown && !(fastest < HUGE_VAL && fastest > kLongCall); ++k)
    fastest = std::min(fastest, timed.time_s());
  const bool is_long = fastest > kLongCall;
  const double limit = kSlower * fastest + kSlowerSeconds;
  const Pairs first_look = is_long ? Pairs{1, 1} : Pairs{4, 3};
  if (!happens(first_look, [&] { return time_unknown() > limit; })) return "";
  // Repeat, alternating with calls on known inputs: the device may have become slow meanwhile.
  const int repeats = is_long ? 1 : 3;
  double unknown = HUGE_VAL, fastest_plain = HUGE_VAL;
  const auto is_slower = [&] {
    double time = HUGE_VAL;
    for (int call = 0; call < repeats; ++call) time = std::min(time, time_unknown());
    // The same exchanges, but back to known inputs; the first such call may also seem new to the
    // work.
    double plain = HUGE_VAL;
    for (int call = 0; call < std::max(2, repeats); ++call) {
      const std::uint64_t seed = random();
      mix(seed);
      mix(seed);
      plain = std::min(plain, timed.time_s());
    }
    if (time < kSlower * plain + kSlowerSeconds) return false;
    unknown = std::min(unknown, time);
    fastest_plain = std::min(fastest_plain, plain);
    return true;
  };
  if (!happens(is_long ? kFewPairs : kManyPairs, is_slower)) return "";
  return fmt::format(
      "calls on inputs that it has not seen before take {} or more, others {}: it keeps answers",
      format_seconds(unknown), format_seconds(fastest_plain));
}

}  // namespace kernelbatch
