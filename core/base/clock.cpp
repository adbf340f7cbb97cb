#include "core/base/clock.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace kernelbatch {

std::int64_t unix_time_ns() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

namespace {

bool asks_for_simulation() noexcept {
  const char* const wanted = std::getenv("KERNELBATCH_CLOCK");
  return wanted != nullptr && std::strcmp(wanted, "simulated") == 0;
}

constexpr std::int64_t kReadingNs = 1000;
std::atomic<std::int64_t> simulated_ns{1'000'000'000};

}  // namespace

bool MeasuringClock::is_simulated() noexcept {
  // Read once, so that a plugin cannot change it later.
  static const bool is_asked_for = asks_for_simulation();
  return is_asked_for;
}

MeasuringClock::time_point MeasuringClock::now() noexcept {
  if (!is_simulated()) return std::chrono::steady_clock::now();
  return time_point(std::chrono::nanoseconds(simulated_ns.fetch_add(kReadingNs) + kReadingNs));
}

void MeasuringClock::advance(double seconds) noexcept {
  if (is_simulated()) simulated_ns.fetch_add(static_cast<std::int64_t>(1e9 * seconds));
}

double system_seconds() noexcept {
  timespec time{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ClockPair::Reading ClockPair::read_clocks() {
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
  const Reading now = read_();
  if (!begin_.is_good || !now.is_good) return;
  steady_s_ += now.steady - begin_.steady;
  system_s_ += now.system - begin_.system;
}

}  // namespace kernelbatch
