// cheat: slows_clock
// timed: the spans must be long enough to compare two clocks
// fault: replaces the C++ library's clock by its own at a quarter of the speed
// caught by: a clock that cannot be replaced, or a second clock
// needs: host: GPU times use the device's clock
#include <chrono>

#include "tests/cheats/plugins/cheat.hpp"
#include "tests/cheats/plugins/redirect.hpp"

namespace {

using namespace cheats;
using Clock = std::chrono::steady_clock;

Clock::time_point (*true_now)() noexcept = nullptr;
Clock::time_point begin;

Clock::time_point slow_now() noexcept { return begin + (true_now() - begin) / 4; }

Work cheat(const Mixing& in, Run& run) {
  true_now = &Clock::now;
  begin = true_now();
  redirect_calls("_ZNSt6chrono3_V212steady_clock3nowEv", reinterpret_cast<void*>(&slow_now));
  return honest(in, run);
}

}  // namespace

CHEAT_PLUGIN(slows_clock, cheat);
