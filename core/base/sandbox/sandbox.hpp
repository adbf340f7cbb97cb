// The sandbox of a process that runs the code of kernel texts.
//
// A confined process starts no program and no process, uses no network, signals and inspects no
// other process, and opens only the files of its rules. libseccomp refuses system calls, Landlock
// files. Threads are allowed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// Variable that turns the sandbox off if it is set and not "0"; workers inherit it.
inline constexpr const char* kNoSandboxVariable = "KERNELBATCH_NO_SANDBOX";

/// True if kernels are trusted: `--no-sandbox`.
bool is_sandbox_off();

/// Files that a confined process may open besides the system's libraries, /proc and /sys. Folders
/// are with all that is in them; missing ones are ignored.
struct SandboxFiles {
  std::vector<std::filesystem::path> readable, writable;
};

/// Confines this process for good: this thread and all that it starts; system calls are refused to
/// its other threads, too. A refused call ends the process with kRefusedExitCode, after it printed
/// refusal_mark() to standard output. Parts of the sandbox that are missing are left out.
void enter_sandbox(const SandboxFiles& files);
bool is_confined() noexcept;

/// From now on this process hides what later code must not find in its memory: freed arrays are
/// wiped, expected outputs encoded (HiddenArray). enter_sandbox() begins that, too.
void hide_memory() noexcept;
bool hides_memory() noexcept;

inline constexpr int kRefusedExitCode = 114;
/// Precedes and ends the action in the output of a refused process: "start a program (execve)".
inline constexpr std::string_view kRefusalMark = "\x1erefused ", kRefusalEnd = "\x1e";

/// True if a process with this wait status was refused a call.
bool is_refusal(int wait_status) noexcept;
/// The action of a process that blocked all signals, and so could not print it.
inline constexpr std::string_view kUnprintedRefusal =
    "start a program, or make another refused call with all signals blocked (as system() and "
    "posix_spawn() do)";

/// Missing parts of the sandbox on this machine, each with its consequence.
std::vector<std::string> missing_sandbox_parts();

}  // namespace kernelbatch
