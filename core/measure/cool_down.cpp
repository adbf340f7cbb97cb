#include "core/measure/cool_down.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace kernelbatch {
namespace {

/// Below this share of its nominal clock a device counts as slowed down.
constexpr double kSlowClock = 0.75;
constexpr std::chrono::milliseconds kPause{50};
constexpr double kLongestCoolDown = 2;

}  // namespace

bool CoolDown::spoils(double clock) const {
  if (waited_s_ >= kLongestCoolDown) return false;
  if (!log_.throttle_reason().empty()) return true;
  // If throttle reasons are readable, there is no need to guess: clocks may be locked.
  if (log_.knows_clock()) return false;
  return nominal_clock_ > 0 && clock < kSlowClock * nominal_clock_;
}

std::string CoolDown::rest(std::int64_t dropped) {
  if (dropped == 0) return "";
  dropped_ += dropped;
  const std::string& reason = log_.throttle_reason();
  if (!reason.empty()) {
    std::this_thread::sleep_for(kPause);
    waited_s_ += std::chrono::duration<double>(kPause).count();
  } else {
    waited_s_ += kLongestCoolDown / 10;  // work, not rest, brings a clock up
  }
  if (waited_s_ < kLongestCoolDown) return "";
  return fmt::format("the device stays slow ({}): samples are kept",
                     reason.empty() ? "its clock is low" : reason);
}

}  // namespace kernelbatch
