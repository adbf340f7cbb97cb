// State of a process before and after a variant.
#include "core/case/guard/process_state.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A child that changes its name on request.
class RenamedChild {
 public:
  RenamedChild() {
    REQUIRE(::pipe(to_.data()) == 0);
    REQUIRE(::pipe(from_.data()) == 0);
    process_ = ::fork();
    if (process_ != 0) return;
    char byte = 0;
    if (::read(to_[0], &byte, 1) == 1 && ::prctl(PR_SET_NAME, "renamed") == 0 &&
        ::write(from_[1], &byte, 1) == 1)
      ::pause();
    ::_exit(0);
  }
  ~RenamedChild() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    for (const int each : {to_[0], to_[1], from_[0], from_[1]}) ::close(each);
  }
  void rename() const {
    char byte = 'x';
    REQUIRE(::write(to_[1], &byte, 1) == 1);
    REQUIRE(::read(from_[0], &byte, 1) == 1);
  }

 private:
  std::array<int, 2> to_{}, from_{};
  pid_t process_ = 0;
};

TEST_CASE("A process that was there before and changes its name is not left by the variant") {
  const RenamedChild child;
  const ProcessState before = ProcessState::now();
  child.rename();
  CHECK(ProcessState::difference(before, ProcessState::now()).fatal.empty());
}

TEST_CASE("A process that a variant starts is left by it, with its name") {
  const ProcessState before = ProcessState::now();
  const RenamedChild child;
  child.rename();
  CHECK_THAT(ProcessState::difference(before, ProcessState::now()).fatal,
             Contains("left the process renamed ("));
}

}  // namespace
}  // namespace kernelbatch
