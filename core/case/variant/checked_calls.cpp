#include "core/case/variant/checked_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/measure/suspicion.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

/// Mean number of calls between two exchanges of inputs, and the share of the time that exchanges
/// may take.
constexpr double kMeanTurn = 8, kExchangeShare = 0.04;
constexpr double kWholeScratchShare = 0.25;
/// Share of the ends of turns at which outputs above kCheaplyRead bytes are checked again.
constexpr double kLookedAtShare = 0.25;
constexpr std::size_t kCheaplyRead = std::size_t{1} << 20;
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

CheckedCalls::CheckedCalls(Setting setting)
    : setting_(std::move(setting)),
      memory_(setting_.memory),
      check_(setting_.check),
      random_(std::random_device{}()) {}

void CheckedCalls::prepare(Stream& stream) {
  if (takes_turns_ && !is_unknown_ && --until_exchange_ <= 0) exchange();
  ++calls_of_turns_;
  is_hidden_ = false;
  check_.poison(stream);
  memory_.poison_scratch(std::uniform_real_distribution<double>()(random_) < kWholeScratchShare,
                         stream);
}

void CheckedCalls::queue_check(Stream& stream) {
  if (!is_unknown_) check_.queue_check(stream);
}

void CheckedCalls::perturb(Stream& stream) { check_.perturb(stream); }

void CheckedCalls::finish_check(const std::string& name) {
  ++calls_;
  last_call_ = fmt::format("call {} ({}{})", calls_, name,
                           memory_.set() == 0 ? "" : ", on the second set of inputs");
  if (!is_unknown_) check_.finish_check(last_call_, first());
}

void CheckedCalls::wait() {
  for (Stream* each : setting_.streams) each->synchronize();
}

void CheckedCalls::learn() { check_.learn(first()); }

void CheckedCalls::call(const std::string& name) {
  prepare(first());
  setting_.work();
  wait();
  queue_check(first());
  first().synchronize();
  finish_check(name);
}

void CheckedCalls::call_on_unknown() {
  is_unknown_ = true;
  call("on exchanged memory");
  is_unknown_ = false;
}

void CheckedCalls::use_set(std::size_t set) {
  if (memory_.has_second() && memory_.set() != set) memory_.exchange(first());
  check_.use_set(memory_.set());
}

void CheckedCalls::begin_turns() {
  if (!memory_.has_second()) return;
  takes_turns_ = true;
  turns_since_ = Clock::now();
  until_exchange_ = std::uniform_int_distribution<std::int64_t>(1, setting_.first_calls)(random_);
}

void CheckedCalls::exchange() {
  const Clock::time_point start = Clock::now();
  memory_.require_unchanged(first());
  use_set(1 - memory_.set());
  exchange_s_ = seconds_since(start);
  const double call_s =
      seconds_since(turns_since_) / static_cast<double>(std::max<std::int64_t>(1, calls_of_turns_));
  const double mean = std::max(kMeanTurn, exchange_s_ / (kExchangeShare * call_s));
  until_exchange_ = 1 + std::geometric_distribution<std::int64_t>(1 / mean)(random_);
}

std::string CheckedCalls::why_not_hot() {
  bool may_differ = false;
  for (const GuardedOutput* output : setting_.check.outputs) {
    if (!output->has_contents()) continue;
    may_differ = true;
    // If the output is a counter of written elements, a second call would write past the end.
    if (!is_floating(output->array().dtype()))
      return fmt::format("'{}' begins with contents of its own, which calls back to back would not",
                         output->spec().name);
  }
  if (!may_differ) return "";
  call("a call before one that is not prepared");
  setting_.work();
  wait();
  ++calls_;
  const bool is_same =
      check_.is_deterministic() ? check_.is_as_learned(first()) : !setting_.check.compare();
  if (is_same) return "";
  // The outputs do not hold the answer of a single call, and would be checked.
  call("a call after one that was not prepared");
  return "a second call without restoring the outputs gives something else";
}

void CheckedCalls::hide_outputs() {
  if (is_hidden_) return;
  // The last call was checked, except for large outputs. Later writes are searched for at every end
  // of a turn if that is cheap, otherwise at some of them and at the very end.
  const bool is_cheap = check_.bytes() <= kCheaplyRead;
  if (is_cheap || check_.has_large() ||
      std::uniform_real_distribution<double>()(random_) < kLookedAtShare)
    check_.look_at_last(last_call_, first());
  check_.scramble(first());
  is_hidden_ = true;
}

void CheckedCalls::finish() {
  if (!is_hidden_) check_.look_at_last(last_call_, first());
  memory_.require_unchanged(first());
}

std::string CheckedCalls::compare_sets(std::span<const Summary> by_set,
                                       const std::function<double()>& time_call) {
  if (!memory_.has_second() || !may_differ_by_set(by_set)) return "";
  // Alternate the sets: the device may have been slow during the calls on one set, and on a busy
  // machine one set may have few samples.
  takes_turns_ = false;
  const auto time_on = [&](std::size_t set) {
    use_set(set);
    const double once = time_call();
    return once > kLongCall ? once : std::min(once, time_call());
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

std::string CheckedCalls::look_for_memory(const Summary& known,
                                          const std::function<double()>& time_call) {
  if (!memory_.can_mix()) return "";
  // After an exchange between calls, known inputs would be new to it again.
  takes_turns_ = false;
  const auto time_unknown = [&] {
    is_unknown_ = true;
    const std::uint64_t seed = random_();
    memory_.mix(seed, first());
    const double time = time_call();
    memory_.mix(seed, first());
    is_unknown_ = false;
    return time;
  };
  // The fastest known call, since on a busy machine every quantile is slower. This is only a first
  // check; the decision is made below.
  double fastest = known.samples > 0 ? known.min : HUGE_VAL;
  for (std::int64_t k = known.samples;
       k < kFewestKnown && !(fastest < HUGE_VAL && fastest > kLongCall); ++k)
    fastest = std::min(fastest, time_call());
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
      const std::uint64_t seed = random_();
      memory_.mix(seed, first());
      memory_.mix(seed, first());
      plain = std::min(plain, time_call());
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

double CheckedCalls::check_time(Event& start, Event& stop) {
  constexpr int kTimes = 2;
  first().record(start);
  for (int k = 0; k < kTimes; ++k) {
    check_.poison(first());
    check_.queue_check(first());
  }
  first().record(stop);
  first().synchronize();
  return stop.seconds_since(start) / kTimes;
}

}  // namespace kernelbatch
