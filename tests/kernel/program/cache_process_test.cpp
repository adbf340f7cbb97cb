// The cache with many concurrent processes, and with processes that are killed.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/kernel/program/cache.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

extern char** environ;

namespace kernelbatch {
namespace {

const std::string kUser = test::build_folder() + "/tests/cache_user";

/// An empty cache, and a compiler that appends a line to a log whenever it is started.
class Scene {
 public:
  Scene() {
    const auto compiler = find_program("g++") ? find_program("g++") : find_program("c++");
    if (!compiler) throw std::runtime_error("this test needs g++ or c++");
    const auto wrapper = folder_ / "logged-g++";
    std::ofstream(wrapper) << "#!/bin/sh\necho compile >> '" << log().string() << "'\nexec '"
                           << compiler->string() << "' \"$@\"\n";
    std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
    std::filesystem::create_directories(folder_ / "tmp");
  }
  std::filesystem::path cache() const { return folder_ / "cache"; }
  std::filesystem::path log() const { return folder_ / "log"; }
  std::size_t compiles() const {
    return std::filesystem::exists(log()) ? read_file(log()).size() / 8 : 0;
  }

 private:
  test::TemporaryFolder folder_;
  test::EnvironmentVariable cxx_{"CXX", (folder_ / "logged-g++").string()};
  test::EnvironmentVariable dir_{"KERNELBATCH_CACHE_DIR", cache().string()};
  test::EnvironmentVariable shared_{"KERNELBATCH_CACHE_SHARED", ""};
  test::EnvironmentVariable tmp_{"TMPDIR", (folder_ / "tmp").string()};
};

/// Starts the user of the cache; its output goes to a file.
pid_t start(const std::string& number, const std::filesystem::path& output) {
  const char* const argv[] = {kUser.c_str(), number.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, kUser.c_str(), &actions, nullptr,
                                  const_cast<char* const*>(argv), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  REQUIRE(error == 0);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

TEST_CASE("64 concurrent processes on an empty cache compile once") {
  const Scene scene;
  const test::TemporaryFolder outputs;
  std::vector<pid_t> users;
  for (int k = 0; k < 64; ++k) users.push_back(start("4711", outputs / std::to_string(k)));
  for (const pid_t user : users) CHECK(wait_for(user) == 0);
  for (int k = 0; k < 64; ++k) CHECK(read_file(outputs / std::to_string(k)) == "4711");
  CHECK(scene.compiles() == 1);
  CHECK(cache_usage(scene.cache()).entries == 1);
}

TEST_CASE("A process killed while it compiles does not affect later ones") {
  const Scene scene;
  const test::TemporaryFolder outputs;
  constexpr unsigned kSeed = 20;
  constexpr int kVictims = 24;
  std::mt19937 random(kSeed);
  int killed = 0;
  for (int k = 0; k < kVictims; ++k) {
    const std::string number = fmt::format("{}", 1000 + k);
    const std::size_t compiles = scene.compiles();
    const pid_t victim = start(number, outputs / "victim");
    // Kill immediately, after its compiler has started, or somewhat later.
    if (k % 3 > 0)
      while (scene.compiles() == compiles)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (k % 3 > 1) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
    ::kill(victim, SIGKILL);
    if (WIFSIGNALED(wait_for(victim))) ++killed;
    const ProcessResult next = run_process({kUser, number});
    REQUIRE(next.exit_status == 0);
    REQUIRE(next.output == number);
  }
  CHECK(killed > 0);
  CHECK(cache_usage(scene.cache()).entries == kVictims);
}

TEST_CASE("A suspended lock holder is not waited for once the kernel exists") {
  const Scene scene;
  const test::TemporaryFolder outputs;
  REQUIRE(wait_for(start("7", outputs / "first")) == 0);
  // The entry vanishes while another process holds its lock, and is then stored by a third.
  std::filesystem::path entry;
  for (const auto& each : std::filesystem::recursive_directory_iterator(scene.cache()))
    if (each.is_regular_file()) entry = each.path();
  const std::string bytes = read_file(entry);
  std::filesystem::path lock = entry;
  lock.replace_extension(".lock");
  const FileDescriptor holder{::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
  std::filesystem::remove(entry);
  REQUIRE(::flock(holder.get(), LOCK_EX | LOCK_NB) == 0);
  const pid_t waiting = start("7", outputs / "waiting");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(::waitpid(waiting, nullptr, WNOHANG) == 0);
  write_file_atomically(entry, bytes);
  CHECK(wait_for(waiting) == 0);
  CHECK(read_file(outputs / "waiting") == "7");
  CHECK(scene.compiles() == 1);
}

}  // namespace
}  // namespace kernelbatch
