// Child processes: started with posix_spawn, their output captured, never through a shell.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.hpp"

namespace kernelbatch {

/// Both ends are closed when a program is executed.
struct Pipe {
  FileDescriptor read_end, write_end;
};
/// Throws EnvironmentError.
Pipe make_pipe();

/// Environment variables with their values.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct SpawnOptions {
  static constexpr int kNull = -1;  ///< /dev/null
  /// Descriptors of the child, each with the one of this process that it is a copy of, or kNull.
  /// The others are inherited, unless they are marked close-on-exec.
  std::vector<std::pair<int, int>> descriptors = {};
  Variables environment = {};    ///< that it has besides this process's, or instead of them
  bool own_group = false;        ///< a process group of its own
  bool default_signals = false;  ///< no signal is blocked or ignored
};

/// Starts `arguments[0]` (searched in PATH where it has no slash), for the caller to wait for.
/// Throws EnvironmentError.
pid_t spawn(const std::vector<std::string>& arguments, const SpawnOptions& options);

struct ProcessResult {
  int exit_status = 0;  ///< exit code, or 128 + signal number
  std::string output;   ///< standard output and standard error together
  bool succeeded() const noexcept { return exit_status == 0; }
};

/// Runs `arguments[0]` (searched in PATH where it has no slash) and waits for it. `input`, where
/// given, is its standard input. No signal is blocked or ignored in it. Throws EnvironmentError
/// when the program cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::optional<std::string>& input = std::nullopt);

/// Opens what is closed of descriptors 0 to 2, so that no file of a run gets their numbers.
/// Reading from the one and writing to the others still fails, as it does where they are closed.
void open_standard_descriptors() noexcept;

/// Full path of a program in PATH, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// Value of an environment variable; nothing where it is unset or empty.
std::optional<std::string> environment(const char* name);

/// The words that this process was started with, the program's name first.
std::vector<std::string> command_line();

/// In words: "exit code 3", "killed by signal 11 (Segmentation fault)". `status` as waitpid gives
/// it.
std::string describe_wait_status(int status);

}  // namespace kernelbatch
