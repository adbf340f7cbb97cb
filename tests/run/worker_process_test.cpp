#include "core/run/worker_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "core/base/error.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

using Outcome = WorkerProcess::Outcome;
using std::chrono::milliseconds;

WorkerProcess shell(const std::string& script) {
  return WorkerProcess({.arguments = {"/bin/sh", "-c", script}});
}

Outcome wait_for(WorkerProcess& worker, milliseconds limit = std::chrono::minutes(10)) {
  Reply message;
  Patience patience(std::chrono::duration<double>(limit).count());
  return worker.receive(patience, -1, message);
}

TEST_CASE("A killed worker is reported with its signal") {
  WorkerProcess worker = shell("kill -SEGV $$");
  CHECK(wait_for(worker) == Outcome::kDied);
  CHECK(worker.end() == "killed by signal 11 (Segmentation fault)");
}

TEST_CASE("A worker that exits is reported with its exit code") {
  WorkerProcess zero = shell("exit 0");
  WorkerProcess seven = shell("exit 7");
  CHECK(wait_for(zero) == Outcome::kDied);
  CHECK(zero.end() == "exit code 0");
  CHECK(wait_for(seven) == Outcome::kDied);
  CHECK(seven.end() == "exit code 7");
}

TEST_CASE("The end of a worker's output is kept, of both streams") {
  WorkerProcess worker =
      shell("for i in $(seq 1 30); do echo line $i; done; echo oops >&2; exit 1");
  CHECK(wait_for(worker) == Outcome::kDied);
  const std::string lines = worker.printed().last_lines();
  CHECK_THAT(lines, Contains("line 30\noops"));
  CHECK(lines.find("line 19\n") == std::string::npos);
}

TEST_CASE("Much output neither blocks a worker nor fills memory") {
  WorkerProcess worker = shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end; exit 1");
  CHECK(wait_for(worker) == Outcome::kDied);
  CHECK_THAT(worker.printed().last_lines(), Contains("end"));
  CHECK(worker.printed().last_lines().size() <= 40'000);
}

TEST_CASE("A worker that prints endlessly is still timed out") {
  WorkerProcess worker({.arguments = {"/usr/bin/yes"}});
  CHECK(wait_for(worker, milliseconds(200)) == Outcome::kTimedOut);
}

TEST_CASE("A worker that cannot receive a message is not waited for") {
  WorkerProcess worker = shell("sleep 60");
  CHECK_FALSE(worker.send(std::string(Channel::kLargestFrame + 1, ' ')));
  CHECK_FALSE(worker.send("later"));
  CHECK(wait_for(worker) == Outcome::kDied);
}

TEST_CASE("A silent worker is timed out") {
  WorkerProcess worker = shell("sleep 60");
  CHECK(wait_for(worker, milliseconds(50)) == Outcome::kTimedOut);
}

TEST_CASE("A worker that closes its output is still waited for") {
  WorkerProcess worker = shell("exec 1>&- 2>&-; sleep 60");
  CHECK(wait_for(worker, milliseconds(50)) == Outcome::kTimedOut);
}

TEST_CASE("Waiting ends when the job must stop") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "x", 1) == 1);
  WorkerProcess worker = shell("sleep 60");
  Reply message;
  Patience patience(600);
  CHECK(worker.receive(patience, ends[0], message) == Outcome::kInterrupted);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("A worker takes its key and signs its messages on descriptor 3") {
  WorkerProcess worker({.arguments = {test::executable(), "__worker"}});
  REQUIRE(worker.send(to_frame(Request(OpenRequest{"host"}))));
  Reply reply;
  Patience patience(600);
  CHECK(worker.receive(patience, -1, reply) == Outcome::kMessage);
  CHECK(std::holds_alternative<Opened>(reply));
}

TEST_CASE("A message that is not signed ends its worker at once") {
  // A frame without a signature: 8 bytes of length, then the bytes of a Renew; and padding to the
  // length of a signed one. The key is useless without the hash function.
  const std::string frame = to_frame(Reply(Renew{}));
  REQUIRE(frame.size() == 1);
  WorkerProcess worker =
      shell("head -c 16 <&3 >/dev/null; printf '\\1\\0\\0\\0\\0\\0\\0\\0\\" +
            fmt::format("{:o}", static_cast<int>(frame[0])) + "%023d' 0 >&3; sleep 60");
  CHECK(wait_for(worker) == Outcome::kDied);
  CHECK(worker.was_forged());
  CHECK_THAT(worker.end(), Contains("a message that the worker did not send"));
}

TEST_CASE("A worker's processes end with it") {
  WorkerProcess worker = shell("sleep 60 & echo $!; wait");
  while (worker.printed().last_lines().empty()) wait_for(worker, milliseconds(10));
  const pid_t child = std::stoi(worker.printed().last_lines());
  REQUIRE(::kill(child, 0) == 0);

  worker.kill();

  // It is not this process's child: it disappears when its new parent has reaped it.
  for (int tries = 0; tries < 500 && ::kill(child, 0) == 0; ++tries) ::usleep(10'000);
  CHECK(::kill(child, 0) != 0);
}

TEST_CASE("A worker that is stopped is not timed out") {
  const test::TemporaryFolder folder;
  const std::string number = folder / "number";
  WorkerProcess worker =
      shell(fmt::format("echo $$ >{0}.new; mv {0}.new {0}; kill -STOP $$; sleep 60", number));
  std::string process, state;
  while (process.empty()) std::ifstream(number) >> process;
  while (state != "T") std::ifstream("/proc/" + process + "/stat") >> state >> state >> state;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  // After the time limit.
  std::jthread interrupter([&] {
    std::this_thread::sleep_for(milliseconds(1500));
    REQUIRE(::write(ends[1], "x", 1) == 1);
  });
  Reply message;
  Patience patience(0.6);
  CHECK(worker.receive(patience, ends[0], message) == Outcome::kInterrupted);
  interrupter.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("A worker that stays stopped is continued") {
  WorkerProcess worker({.arguments = {"/bin/sh", "-c", "kill -STOP $$; echo continued; sleep 60"},
                        .longest_stop = milliseconds(0)});
  while (worker.printed().last_lines().empty()) wait_for(worker, milliseconds(300));
  CHECK(worker.printed().last_lines() == "continued");
}

TEST_CASE("A worker that stops again and again is timed out") {
  WorkerProcess worker({.arguments = {"/bin/sh", "-c", "while :; do kill -STOP $$; done"},
                        .longest_stop = milliseconds(0)});
  Reply message;
  Patience patience(0.6);
  CHECK(worker.receive(patience, -1, message) == Outcome::kTimedOut);
}

TEST_CASE("A worker's process in its own session ends with it, and is named") {
  WorkerProcess worker = shell("setsid sleep 60 & echo $!; sleep 60");
  while (worker.printed().last_lines().empty()) wait_for(worker, milliseconds(10));
  const pid_t child = std::stoi(worker.printed().last_lines());
  // It has its session before it is `sleep`.
  std::string name;
  while (name != "sleep") std::ifstream(fmt::format("/proc/{}/comm", child)) >> name;
  REQUIRE(::getpgid(child) == child);

  worker.refuse("no more");

  CHECK(::kill(child, 0) != 0);
  CHECK(worker.end() ==
        "no more; its child processes were ended: sleep (" + std::to_string(child) + ")");
}

TEST_CASE("A worker that only dies has not forged messages") {
  WorkerProcess worker = shell("exit 0");
  CHECK(wait_for(worker) == Outcome::kDied);
  CHECK_FALSE(worker.was_forged());
}

TEST_CASE("A worker that closes its channel and keeps running is reported and ended") {
  WorkerProcess worker = shell("exec 3>&-; exec sleep 60");
  CHECK(wait_for(worker) == Outcome::kDied);
  CHECK(worker.end() == "it closed its channel to the supervisor (descriptor 3)");
}

TEST_CASE("A worker killed by another process is distinguished from one ended here") {
  WorkerProcess killed = shell("kill -KILL $$");
  CHECK(wait_for(killed) == Outcome::kDied);
  CHECK(killed.was_killed_by_others());
  WorkerProcess closes = shell("exec 3>&-; exec sleep 60");
  CHECK(wait_for(closes) == Outcome::kDied);
  CHECK_FALSE(closes.was_killed_by_others());
}

TEST_CASE("A worker that cannot be started is an error that names it") {
  CHECK_THROWS_WITH(WorkerProcess({.arguments = {"/no/such/worker"}}),
                    "cannot start '/no/such/worker': No such file or directory");
}

}  // namespace
}  // namespace kernelbatch
