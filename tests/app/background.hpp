// The real executable in the background, which a test can stop or kill.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/base/text.hpp"
#include "tests/app/command.hpp"

extern char** environ;

namespace kernelbatch::test {

/// A command in the background, killed by the destructor.
class Background {
 public:
  explicit Background(std::vector<std::string> arguments) {
    set_environment();
    arguments.insert(arguments.begin(), executable());
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int error = ::posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start the command");
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }
  pid_t process() const { return process_; }
  /// The exit code, or 128 + signal.
  int end_by(int signal) {
    ::kill(process_, signal);
    return wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
};

/// Polls until the condition is true; false after ten minutes.
inline bool eventually(const std::function<bool()>& is_so) {
  for (int tries = 0; tries < 60'000; ++tries) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The processes whose parent is `parent`.
inline std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const auto after_name = text.rfind(')');
    if (after_name == std::string::npos) continue;
    const std::vector<std::string> fields = split(text.substr(after_name + 2), ' ');
    if (fields.size() > 1 && std::stoi(fields[1]) == parent) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace kernelbatch::test
