#include "core/app/interrupt.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "core/base/error.hpp"

namespace kernelbatch::app {
namespace {

/// Written by the signal handler, which can access only globals.
int write_end = -1;
volatile std::sig_atomic_t first_signal = 0;

void on_signal(int signal) {
  if (first_signal == 0) first_signal = signal;
  const char byte = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(write_end, &byte, 1);
}

}  // namespace

int catch_interrupts() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw RunError("cannot create a pipe");
  write_end = ends[1];
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM})
    ::sigaction(signal, &action, nullptr);
  return ends[0];
}

int interrupting_signal() noexcept { return first_signal; }

void interrupt_after(double seconds) {
  // Zero would turn the timer off.
  const double delay = std::max(seconds, 1e-3);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(delay);
  timer.it_value.tv_usec = static_cast<suseconds_t>((delay - std::floor(delay)) * 1e6);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace kernelbatch::app
