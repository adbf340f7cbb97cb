#include "core/base/clock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace kernelbatch {

std::int64_t unix_time_ns() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

double system_seconds() noexcept {
  timespec time{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ClockPair::Reading ClockPair::read() noexcept {
  constexpr double kMoment = 20e-6;
  using namespace std::chrono;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double before = system_seconds();
    const double steady = duration<double>(steady_clock::now().time_since_epoch()).count();
    const double after = system_seconds();
    if (after - before < kMoment) return {steady, (before + after) / 2, true};
  }
  return {};
}

void ClockPair::end() noexcept {
  const Reading now = read();
  if (!begin_.is_good || !now.is_good) return;
  steady_s_ += now.steady - begin_.steady;
  system_s_ += now.system - begin_.system;
}

}  // namespace kernelbatch
