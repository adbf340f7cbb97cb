#include "core/case/worker/worker_life.hpp"

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

/// Kills compilers too: they are children or grandchildren of this process.
void end_group() noexcept {
  if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
  ::kill(::getpid(), SIGKILL);
}

void on_death(int) { end_group(); }

}  // namespace

void end_with_supervisor(int socket) {
  adopt_orphans();
  // A signal that nothing else uses.
  const int signal = SIGRTMAX - 3;
  std::signal(signal, on_death);
  ::prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
  // A variant may catch or block that signal, without effect on this thread. The thread has its own
  // descriptor, since a variant may close the other one.
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
