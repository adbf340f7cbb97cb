#include "core/case/worker_life.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "core/base/children.hpp"

namespace kernelbatch {
namespace {

/// Alone it would leave the compilers: their parent is this process, or one of them.
void end_group() noexcept {
  if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
  ::kill(::getpid(), SIGKILL);
}

void on_death(int) { end_group(); }

}  // namespace

void end_with_supervisor(int socket) {
  adopt_orphans();
  // One that nothing else uses.
  const int signal = SIGRTMAX - 3;
  std::signal(signal, on_death);
  ::prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
  // A variant may catch or block that signal, which this thread does not notice. A descriptor of
  // its own: the other may be closed by then.
  const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 10);
  if (own < 0) return;
  std::thread([own] {
    for (;;) {
      pollfd polled{own, POLLRDHUP, 0};
      const int ready = ::poll(&polled, 1, -1);
      if (ready < 0 && errno == EINTR) continue;
      if (ready < 0 || (polled.revents & POLLNVAL) != 0) return;
      if ((polled.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) end_group();
    }
  }).detach();
}

}  // namespace kernelbatch
