#include "core/verify/call_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/sandbox/sandbox.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

/// Maximum share of the calls' time for comparisons on the host, after the first few.
constexpr double kCompareShare = 0.1;
constexpr double kFirstCompared = 4;
constexpr double kWholeShare = 0.25;
/// Share of the calls whose outputs are filled with the numeric sentinel.
constexpr double kNumericShare = 0.5;

/// A number in [0, 1).
double chance(std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random); }

}  // namespace

CallCheck::CallCheck(Setting setting)
    : setting_(std::move(setting)), random_(std::random_device{}()) {
  for (GuardedOutput* guarded : setting_.outputs)
    outputs_.emplace_back(
        *guarded, guarded->memory().bytes() > setting_.whole_bytes && !guarded->has_contents());
}

CheckTools CallCheck::tools() const noexcept {
  return {setting_.kernels, tolerance_, setting_.want_on_device};
}

void CallCheck::use_set(std::size_t set) {
  set_ = set;
  for (OutputCheck& output : outputs_) output.guarded().use_set(set);
}

/// True if the next call is checked completely, and so begins with a filled output.
bool CallCheck::is_whole_next(const OutputCheck& output) {
  if (!output.is_large() || !output.has_learned(set_)) return true;
  return is_deterministic_ ? !output.holds(set_) || chance(random_) < kWholeShare : is_looked_at_;
}

void CallCheck::poison(Stream& stream) {
  if (!is_deterministic_) {
    const double interval = seconds_since(compared_since_) / std::max(calls_, 1.0);
    const double cost = compare_s_ / std::max(compares_, 1.0);
    is_compared_ = calls_ < kFirstCompared || chance(random_) * cost < kCompareShare * interval;
    is_looked_at_ = is_compared_ || chance(random_) < kWholeShare;
    // Then the device, which kernels can read, has no expected values to count with.
    if (hides_memory()) is_compared_ = is_looked_at_ = is_looked_at_ || !has_large();
  }
  // The first call was made on the usual sentinel.
  const bool is_numeric = !std::exchange(has_armed_, true) || chance(random_) < kNumericShare;
  const Sentinel sentinel = is_numeric ? Sentinel::kNumeric : Sentinel::kUsual;
  for (OutputCheck& output : outputs_) {
    if (!is_whole_next(output))
      output.begin_places(is_deterministic_, random_(), tools(), stream);
    else if (is_deterministic_)
      output.begin_whole(sentinel, stream);
    else
      output.begin_varying(set_, sentinel, tools(), stream);
  }
}

void CallCheck::perturb(Stream& stream) {
  for (OutputCheck& output : outputs_) {
    const Array& array = output.guarded().array();
    if (output.guarded().has_contents() || array.is_staged() || array.size() == 0) continue;
    output.perturb(random_(), tools(), stream);
    // The changes are visible in the digest of the whole output.
    if (is_deterministic_) output.check_whole();
  }
}

void CallCheck::scramble(Stream& stream) {
  for (OutputCheck& output : outputs_) output.scramble(random_(), tools(), stream);
  stream.synchronize();
}

bool CallCheck::has_large() const noexcept {
  return std::ranges::any_of(outputs_, &OutputCheck::is_large);
}

void CallCheck::queue_check(Stream& stream) {
  for (OutputCheck& output : outputs_) output.queue(set_, tools(), stream);
}

void CallCheck::finish_check(const std::string& name, Stream& stream) {
  if (!is_deterministic_) return finish_varying_check(name, stream);
  ++checked_;
  // Without a learned digest there is nothing to compare with.
  if (!std::ranges::all_of(outputs_,
                           [this](const OutputCheck& output) { return output.has_learned(set_); }))
    return find_difference(name, stream);
  for (OutputCheck& output : outputs_) {
    if (output.finish(set_, stream)) continue;
    find_difference(name, stream);
    if (setting_.must_be_deterministic)
      throw VerificationError(
          fmt::format("{}: output '{}' is within its tolerance, and not the same bits as in the "
                      "first call: verify.determinism is 'required'",
                      name, output.guarded().spec().name),
          "varies");
    is_deterministic_ = false;
    compared_since_ = Clock::now();
    return;
  }
}

void CallCheck::finish_varying_check(const std::string& name, Stream& stream) {
  ++calls_;
  bool is_beyond = false, is_counted = false;
  for (const OutputCheck& output : outputs_) {
    const std::optional<bool> found = output.is_beyond(stream);
    is_counted = is_counted || found.has_value();
    is_beyond = is_beyond || found.value_or(false);
  }
  if (is_counted || is_compared_) ++checked_;
  if (is_beyond || is_compared_) find_difference(name, stream);
}

void CallCheck::find_difference(const std::string& name, Stream& stream) {
  const Clock::time_point start = Clock::now();
  for (const OutputCheck& output : outputs_)
    if (const std::string reason = output.guarded().check_guards(stream); !reason.empty())
      throw VerificationError(fmt::format("{}: {}", name, reason), "out of bounds");
  if (const Wrong wrong = setting_.compare())
    throw VerificationError(fmt::format("{}: {}", name, wrong.reason),
                            wrong.fault + (setting_.is_sporadic() ? kVaries : ""));
  compare_s_ += seconds_since(start);
  ++compares_;
}

void CallCheck::learn(Stream& stream) {
  for (OutputCheck& output : outputs_)
    if (const auto digest = output.learn(set_, tools(), stream)) known_.push_back(*digest);
}

bool CallCheck::is_learned(std::size_t set, Stream& stream) {
  return std::ranges::all_of(
      outputs_, [&](OutputCheck& output) { return output.equals_learned(set, tools(), stream); });
}

void CallCheck::look_at_last(const std::string& name, Stream& stream) {
  if (is_deterministic_ && is_learned(set_, stream)) return;
  find_difference(name, stream);
}

}  // namespace kernelbatch
