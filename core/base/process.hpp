// Child processes: started with posix_spawn, their output captured, never through a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelbatch {

struct ProcessResult {
  int exit_status = 0;  ///< exit code, or 128 + signal number
  std::string output;   ///< standard output and standard error together
  bool succeeded() const noexcept { return exit_status == 0; }
};

/// Runs `arguments[0]` (searched in PATH where it has no slash) and waits for it. `input`, where
/// given, is its standard input. Signals do in it what they do by default. Throws EnvironmentError
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

/// In words: "exit code 3", "killed by signal 11 (Segmentation fault)". `status` as waitpid gives
/// it.
std::string describe_wait_status(int status);

}  // namespace kernelbatch
