// Runs that are stopped or killed: finished results are kept intact.
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>

#include "core/base/file.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// Two cases that finish and a last one that hangs.
test::JobFolder hanging_job() {
  return test::JobFolder(
      test::kShort +
      "workloads:\n"
      "  - {workload: faulty, params: {n: [10, 20]}, variants: [reference, good]}\n"
      "  - {workload: faulty, params: {n: 30}, variants: [reference, hangs, good]}\n"
      "limits: {timeout: 600s, retries: 0}\n");
}

fs::path shards_of(const test::JobFolder& folder) { return folder.results() + ".d"; }

/// `kernelbatch run` of that job, once its last case hangs.
struct HangingRun {
  const test::JobFolder folder = hanging_job();
  std::unique_ptr<test::Background> run;

  HangingRun() {
    const fs::path marker = folder.path() / "hangs";
    ::setenv("FAULTY_HANGS_MARKER", marker.c_str(), 1);
    run = std::make_unique<test::Background>(std::vector<std::string>{"run", folder.job()});
    ::unsetenv("FAULTY_HANGS_MARKER");
    REQUIRE(test::eventually([&] { return fs::exists(marker); }));
    REQUIRE(list_shards(shards_of(folder)).size() == 2);
  }
  HangingRun(const HangingRun&) = delete;
  HangingRun& operator=(const HangingRun&) = delete;
};

TEST_CASE("SIGTERM and SIGUSR1 end a run with 75; finished results are merged and readable") {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const HangingRun hanging;
    const test::JobFolder& folder = hanging.folder;

    const int exit_status = hanging.run->end_by(signal);

    CHECK(exit_status == 75);
    const ResultFile file = read_results(folder.results());
    // Four results of the finished cases, and the reference of the one that hung.
    CHECK(file.results.size() == 5);
    for (const ResultRecord& record : file.results) CHECK(record.status == Status::kOk);
    CHECK_FALSE(fs::exists(shards_of(folder)));
    const auto without_hang =
        test::command({"run", "--resume", folder.job(), "--only", "variant=good"});
    CHECK_THAT(without_hang.output, Contains("2 of 3 results are from earlier runs."));
  }
}

TEST_CASE("A stopped run keeps no variant that further processes would have timed") {
  const test::JobFolder folder = hanging_job();
  const fs::path marker = folder.path() / "hangs";
  ::setenv("FAULTY_HANGS_MARKER", marker.c_str(), 1);
  test::Background run({"run", folder.job(), "-s", "measure.processes=2"});
  ::unsetenv("FAULTY_HANGS_MARKER");
  REQUIRE(test::eventually([&] { return fs::exists(marker); }));

  CHECK(run.end_by(SIGUSR1) == 75);

  // References are timed by one process.
  for (const ResultRecord& record : read_results(folder.results()).results)
    CHECK((record.is_reference() || record.processes == 2));
  CHECK(read_results(folder.results()).results.size() == 5);
}

TEST_CASE("A run that is stopped while a plugin is loaded ends with 75 and leaves nothing") {
  const test::JobFolder folder(test::kShort + "workload: " + test::build_folder() +
                               "/tests/hanging/hangs_at_load.so\n");
  test::Background run({"run", folder.job()});
  REQUIRE(test::eventually([&] { return test::children_of(run.process()).size() == 1; }));

  CHECK(run.end_by(SIGTERM) == 75);

  CHECK_FALSE(fs::exists(folder.results()));
  CHECK_FALSE(fs::exists(shards_of(folder)));
}

TEST_CASE("A worker that is killed from outside costs one variant") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;
  const std::vector<pid_t> workers = test::children_of(hanging.run->process());
  REQUIRE(workers.size() == 1);

  ::kill(workers[0], SIGKILL);

  CHECK(hanging.run->wait() == 3);
  const ResultFile file = read_results(folder.results());
  REQUIRE(file.results.size() == 7);
  for (const ResultRecord& record : file.results) {
    if (record.variant == "hangs") {
      CHECK(record.status == Status::kCrashed);
      CHECK_THAT(record.reason, Contains("killed by signal 9 (Killed)"));
    } else {
      CHECK(record.status == Status::kOk);
    }
  }
}

TEST_CASE("A killed supervisor leaves whole shards and no worker") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;
  const std::vector<pid_t> workers = test::children_of(hanging.run->process());

  CHECK(hanging.run->end_by(SIGKILL) == 128 + SIGKILL);

  const ResultFile file = read_results(folder.results());
  CHECK(file.results.size() == 4);
  CHECK(file.problems.empty());
  for (const ResultRecord& record : file.results) CHECK(record.status == Status::kOk);
  REQUIRE(workers.size() == 1);
  CHECK(test::eventually([&] { return ::kill(workers[0], 0) != 0; }));
}

TEST_CASE("After a killed run the next one merges both and tidies up") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;
  hanging.run->end_by(SIGKILL);

  const ProcessResult again =
      test::command({"run", "--overwrite", folder.job(), "--only", "variant=good"});

  INFO(again.output);
  CHECK(again.exit_status == 0);
  CHECK(read_results(folder.results()).results.size() == 5);
  CHECK_FALSE(fs::exists(shards_of(folder)));
}

TEST_CASE("A second run into the same output is refused with 6 and harms nothing") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;

  const ProcessResult second = test::command({"run", folder.job(), "--only", "variant=good"});

  INFO(second.output);
  CHECK(second.exit_status == 6);
  CHECK_THAT(second.output, Contains("is being written by another run (process " +
                                     std::to_string(hanging.run->process()) + " on ") &&
                                Contains("choose another output"));
  CHECK(list_shards(shards_of(folder)).size() == 2);
  CHECK(hanging.run->end_by(SIGTERM) == 75);
  CHECK(read_results(folder.results()).results.size() == 5);
  CHECK_FALSE(fs::exists(shards_of(folder)));
}

TEST_CASE("Tasks of one job run concurrently, each in its folder") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;

  // The last task has the smallest case, which does not hang.
  const ProcessResult task = test::command({"run", "--overwrite", folder.job(), "--shard", "3/3"});

  INFO(task.output);
  CHECK(task.exit_status == 0);
  CHECK(fs::exists(shards_of(folder) / "3-of-3-by-cost"));
  CHECK_FALSE(fs::exists(shards_of(folder) / "3-of-3-by-cost" / kRunLock));
}

TEST_CASE("One of several concurrent runs with the same output runs") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nparams: {n: [10, 20, 30]}\n"
                               "variants: [reference, good]\n");
  std::vector<std::unique_ptr<test::Background>> runs;
  for (int k = 0; k < 4; ++k)
    runs.push_back(std::make_unique<test::Background>(
        std::vector<std::string>{"run", "--overwrite", folder.job()}));
  int done = 0;
  for (const auto& run : runs) {
    const int status = run->wait();
    CHECK((status == 0 || status == 6));
    done += status == 0 ? 1 : 0;
  }
  CHECK(done >= 1);  // later ones also run
  CHECK(read_results(folder.results()).results.size() == 6);
  CHECK_FALSE(fs::exists(shards_of(folder)));
}

TEST_CASE("The lock of a killed run blocks no run, and a merge removes it") {
  const HangingRun hanging;
  const test::JobFolder& folder = hanging.folder;
  hanging.run->end_by(SIGKILL);
  REQUIRE(fs::exists(shards_of(folder) / "0" / kRunLock));

  CHECK(test::command({"merge", folder.results()}).exit_status == 0);

  CHECK_FALSE(fs::exists(shards_of(folder)));
  CHECK(test::command({"run", "--overwrite", folder.job(), "--only", "variant=good"}).exit_status ==
        0);
}

TEST_CASE("A folder of results that vanishes meanwhile is an error, not silence") {
  const HangingRun hanging;
  const std::vector<pid_t> workers = test::children_of(hanging.run->process());
  fs::remove_all(shards_of(hanging.folder));
  REQUIRE(workers.size() == 1);
  ::kill(workers[0], SIGKILL);

  const int status = hanging.run->wait();

  // The running case may be stored in a recreated folder; deleted results cannot.
  CAPTURE(status);
  CHECK((status == 3 || status == 6));
  if (fs::exists(hanging.folder.results()))
    CHECK(read_results(hanging.folder.results()).results.size() == 3);
}

/// A run whose compiler has started another program and never ends, as g++ has cc1plus.
struct CompilingRun {
  const test::JobFolder folder{test::kShort + "workload: faulty\nvariants: [reference, good]\n"};
  const fs::path temporary = folder.path() / "tmp", compiler = folder.path() / "g++";
  std::vector<pid_t> processes;
  std::unique_ptr<test::Background> run;

  CompilingRun() {
    const fs::path marker = folder.path() / "compiles";
    fs::create_directory(temporary);
    std::ofstream(compiler) << "#!/bin/sh\nsleep 300 &\necho $$ $! >'" << marker.string()
                            << ".new'\nmv '" << marker.string() << ".new' '" << marker.string()
                            << "'\nwait\n";
    fs::permissions(compiler, fs::perms::owner_all);
    const test::EnvironmentVariable tmpdir("TMPDIR", temporary.string());
    const test::EnvironmentVariable cxx("CXX", compiler.string());
    const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR",
                                          (folder.path() / "cache").string());
    run = std::make_unique<test::Background>(std::vector<std::string>{"run", folder.job()});
    REQUIRE(test::eventually([&] { return fs::exists(marker); }));
    std::ifstream file(marker);
    for (pid_t process = 0; file >> process;) processes.push_back(process);
    REQUIRE(processes.size() == 2);
    REQUIRE_FALSE(fs::is_empty(temporary));
  }
  bool is_compiler_gone() const {
    return test::eventually([&] {
      return std::ranges::all_of(processes, [](pid_t process) { return !is_alive(process); });
    });
  }
  /// True for a process that is not a zombie.
  static bool is_alive(pid_t process) {
    std::string state;
    std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), state);
    return !state.empty() && state.find(") Z ") == std::string::npos;
  }
};

TEST_CASE("Compilers and their children end with the run, however it ends") {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    CompilingRun compiling;
    const int status = compiling.run->end_by(signal);
    CHECK(status == (signal == SIGKILL ? 128 + SIGKILL : 75));
    CHECK(compiling.is_compiler_gone());
  }
}

TEST_CASE("Compilers and their children end with a killed worker") {
  CompilingRun compiling;
  const std::vector<pid_t> workers = test::children_of(compiling.run->process());
  REQUIRE(workers.size() == 1);
  ::kill(workers[0], SIGKILL);
  CHECK(compiling.is_compiler_gone());
}

TEST_CASE("Temporary folders of a killed run are removed by the next") {
  CompilingRun compiling;
  compiling.run->end_by(SIGKILL);
  REQUIRE(compiling.is_compiler_gone());
  REQUIRE_FALSE(fs::is_empty(compiling.temporary));
  // The folder is the worker's until the last of its threads is gone, some milliseconds later.
  const fs::path scratch = fs::directory_iterator(compiling.temporary)->path();
  REQUIRE(test::eventually([&] {
    const FileDescriptor folder{::open(scratch.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
  }));

  const test::EnvironmentVariable tmpdir("TMPDIR", compiling.temporary.string());
  CHECK(test::command({"run", compiling.folder.job()}).exit_status == 0);

  CHECK(fs::is_empty(compiling.temporary));
}

}  // namespace
}  // namespace kernelbatch
