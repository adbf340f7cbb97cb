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

/// A pipe whose ends are closed on exec.
struct Pipe {
  FileDescriptor read_end, write_end;
};
/// Throws EnvironmentError.
Pipe make_pipe();

/// Environment variables with their values.
using Variables = std::vector<std::pair<std::string, std::string>>;

struct SpawnOptions {
  static constexpr int kNull = -1;  ///< /dev/null
  /// Descriptors of the child, each with the descriptor of this process to copy, or kNull. Others
  /// are inherited unless they are marked close-on-exec.
  std::vector<std::pair<int, int>> descriptors = {};
  Variables environment = {};    ///< in addition to this process's, or replacing them
  bool own_group = false;        ///< a process group of its own
  bool default_signals = false;  ///< unblocks and resets all signals
};

/// Starts `arguments[0]`, searched in PATH if it has no slash; the caller waits for it. Throws
/// EnvironmentError.
pid_t spawn(const std::vector<std::string>& arguments, const SpawnOptions& options);

struct ProcessResult {
  int exit_status = 0;  ///< exit code, or 128 + signal number
  std::string output;   ///< standard output and standard error together
  bool succeeded() const noexcept { return exit_status == 0; }
};

/// Runs `arguments[0]`, searched in PATH if it has no slash, and waits for it. `input`, if given,
/// is its standard input. Its signals are unblocked and reset. Throws EnvironmentError if the
/// program cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::optional<std::string>& input = std::nullopt);

/// Opens closed descriptors among 0 to 2, so that no file of a run gets their numbers. Reading from
/// the first and writing to the others still fails, as for closed ones.
void open_standard_descriptors() noexcept;

/// Full path of a program in PATH, or std::nullopt.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// Value of an environment variable; std::nullopt if it is unset or empty.
std::optional<std::string> environment(const char* name);

/// Command line of this process, starting with the program's name.
std::vector<std::string> command_line();

/// A status of waitpid as text: "exit code 3", "killed by signal 11 (Segmentation fault)".
std::string describe_wait_status(int status);

}  // namespace kernelbatch
