#include "core/base/process.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A process's output and error output are captured") {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2"});
  CHECK(result.succeeded());
  CHECK(result.output == "out\nerr\n");
}

TEST_CASE("Exit codes and signals are distinguished") {
  CHECK(run_process({"sh", "-c", "exit 3"}).exit_status == 3);
  CHECK_FALSE(run_process({"false"}).succeeded());
  CHECK(run_process({"sh", "-c", "kill -9 $$"}).exit_status == 128 + 9);
}

TEST_CASE("Input larger than a pipe passes through") {
  const std::string input(1 << 20, 'x');
  CHECK(run_process({"cat"}, input).output == input);
}

TEST_CASE("Without input a process reads the end of file") {
  CHECK(run_process({"cat"}).output.empty());
}

TEST_CASE("Arguments are never seen by a shell") {
  CHECK(run_process({"echo", "$HOME; *"}).output == "$HOME; *\n");
}

TEST_CASE("A missing program is an error that names it") {
  CHECK_THROWS_WITH(run_process({"no-such-program-here"}),
                    "cannot start 'no-such-program-here': No such file or directory");
  CHECK_THROWS_AS(run_process({"/etc/hostname-not-here"}), RunError);
}

TEST_CASE("Programs are found in PATH") {
  REQUIRE(find_program("sh"));
  CHECK(find_program("sh")->is_absolute());
  CHECK_FALSE(find_program("no-such-program-here"));
  CHECK(find_program("/bin/sh"));
  CHECK_FALSE(find_program("/bin/no-such"));
}

TEST_CASE("An empty variable counts as unset") {
  ::setenv("KERNELBATCH_TEST_VARIABLE", "a", 1);
  CHECK(environment("KERNELBATCH_TEST_VARIABLE") == "a");
  ::setenv("KERNELBATCH_TEST_VARIABLE", "", 1);
  CHECK_FALSE(environment("KERNELBATCH_TEST_VARIABLE"));
  ::unsetenv("KERNELBATCH_TEST_VARIABLE");
  CHECK_FALSE(environment("KERNELBATCH_TEST_VARIABLE"));
}

TEST_CASE("A child's environment is this process's, with some variables added or replaced") {
  const test::EnvironmentVariable kept("KERNELBATCH_TEST_KEPT", "as here");
  const test::EnvironmentVariable replaced("KERNELBATCH_TEST_REPLACED", "old");
  Pipe pipe = make_pipe();
  const pid_t child = spawn(
      {"sh", "-c",
       "echo $KERNELBATCH_TEST_KEPT, $KERNELBATCH_TEST_REPLACED, $KERNELBATCH_TEST_ADDED"},
      {.descriptors = {{1, pipe.write_end.get()}},
       .environment = {{"KERNELBATCH_TEST_REPLACED", "new"}, {"KERNELBATCH_TEST_ADDED", "a=b c"}}});
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  char text[100] = {};
  CHECK(::read(pipe.read_end.get(), text, sizeof text - 1) > 0);
  CHECK(std::string(text) == "as here, new, a=b c\n");
  CHECK(environment("KERNELBATCH_TEST_REPLACED") == "old");
  CHECK_FALSE(environment("KERNELBATCH_TEST_ADDED"));
}

TEST_CASE("The command line is returned word for word") {
  REQUIRE_FALSE(command_line().empty());
  CHECK(std::filesystem::path(command_line().front()).filename() == "base_tests");
}

TEST_CASE("Wait statuses are described in words") {
  CHECK(describe_wait_status(W_EXITCODE(3, 0)) == "exit code 3");
  CHECK(describe_wait_status(W_EXITCODE(0, 11)) == "killed by signal 11 (Segmentation fault)");
}

std::string said_to(Pipe& pipe) {
  pipe.write_end.reset();
  char buffer[64];
  const ssize_t count = ::read(pipe.read_end.get(), buffer, sizeof buffer);
  return {buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

TEST_CASE("A child's descriptors may have each other's numbers") {
  Pipe first = make_pipe(), second = make_pipe();
  const int one = first.write_end.get(), two = second.write_end.get();
  const pid_t child = spawn({"bash", "-c", fmt::format("echo one >&{}; echo two >&{}", one, two)},
                            {.descriptors = {{one, two}, {two, one}, {0, SpawnOptions::kNull}}});
  CHECK(said_to(second) == "one\n");
  CHECK(said_to(first) == "two\n");
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("A child has no descriptors but those that it is given") {
  Pipe pipe = make_pipe();
  const int own = pipe.write_end.get();
  const pid_t child = spawn({"bash", "-c", fmt::format("echo one >&{} || exit 7", own)},
                            {.descriptors = {{2, SpawnOptions::kNull}}, .own_group = true});
  CHECK(::getpgid(child) == child);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(said_to(pipe).empty());
}

}  // namespace
}  // namespace kernelbatch
