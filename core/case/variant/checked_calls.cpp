#include "core/case/variant/checked_calls.hpp"

#include <fmt/format.h>

#include "core/base/clock.hpp"

namespace kernelbatch {
namespace {

constexpr double kWholeScratchShare = 0.25;
/// Share of the ends of turns at which outputs above kCheaplyRead bytes are checked again.
constexpr double kLookedAtShare = 0.25;
constexpr std::size_t kCheaplyRead = std::size_t{1} << 20;

/// Total size with guard bands.
std::size_t bytes_of(const std::vector<GuardedOutput*>& outputs) {
  std::size_t sum = 0;
  for (const GuardedOutput* output : outputs) sum += output->memory().bytes();
  return sum;
}

void wait_for(const std::vector<Stream*>& streams) {
  for (Stream* each : streams) each->synchronize();
}

}  // namespace

CheckedCalls::CheckedCalls(Setting setting)
    : setting_(std::move(setting)),
      memory_(setting_.memory),
      check_(setting_.check),
      random_(std::random_device{}()) {}

void CheckedCalls::prepare(Stream& stream) {
  if (!is_unknown_ && turns_.is_due()) exchange();
  turns_.count_call();
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

void CheckedCalls::call(const std::string& name) {
  prepare(first());
  setting_.work();
  wait_for(setting_.streams);
  queue_check(first());
  first().synchronize();
  finish_check(name);
}

void CheckedCalls::on_unknown(const std::function<void()>& calls) {
  is_unknown_ = true;
  calls();
  is_unknown_ = false;
}

void CheckedCalls::use_set(std::size_t set) {
  if (memory_.has_second() && memory_.set() != set) memory_.exchange(first());
  check_.use_set(memory_.set());
}

void CheckedCalls::begin_turns() {
  if (!memory_.has_second()) return;
  turns_.begin(setting_.first_calls, random_);
}

void CheckedCalls::exchange() {
  const auto start = MeasuringClock::now();
  memory_.require_unchanged(first());
  use_set(1 - memory_.set());
  turns_.on_exchange(seconds_since(start), random_);
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
  wait_for(setting_.streams);
  ++calls_;
  const bool is_same = check_.is_deterministic() ? check_.is_learned(memory_.set(), first())
                                                 : !setting_.check.compare();
  if (is_same) return "";
  // The outputs do not hold the answer of a single call, and would be checked.
  call("a call after one that was not prepared");
  return "a second call without restoring the outputs gives something else";
}

void CheckedCalls::hide_outputs() {
  if (is_hidden_) return;
  // The last call was checked, except for large outputs. Later writes are searched for at every end
  // of a turn if that is cheap, otherwise at some of them and at the very end.
  const bool is_cheap = bytes_of(setting_.check.outputs) <= kCheaplyRead;
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

double check_time(CallCheck& check, Stream& stream, Event& start, Event& stop) {
  constexpr int kTimes = 2;
  stream.record(start);
  for (int k = 0; k < kTimes; ++k) {
    check.poison(stream);
    check.queue_check(stream);
  }
  stream.record(stop);
  stream.synchronize();
  return stop.seconds_since(start) / kTimes;
}

}  // namespace kernelbatch
