// FileLock: an exclusive lock between processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/file.hpp"

namespace kernelbatch {

/// An advisory lock of the system (flock), released when its holder ends in any way: a leftover
/// file blocks no other process. The file is removed when the lock is released. Over NFS it also
/// excludes processes on other nodes, unless the file system is mounted with local locks.
class FileLock {
 public:
  enum class State : std::uint8_t {
    kHeld,
    kTaken,       ///< by another process
    kImpossible,  ///< the file cannot be created or is a link, or the file system has no locks
  };

  /// Waits until the lock of `path` is held, `is_done()` returns true, or `patience` is over: a
  /// stopped holder or an unresponsive server must not block others. Creates the folder. Does not
  /// throw.
  FileLock(
      const std::filesystem::path& path, std::chrono::milliseconds patience,
      const std::function<bool()>& is_done = [] { return false; });
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  State state() const noexcept { return state_; }
  bool is_held() const noexcept { return state_ == State::kHeld; }

  /// True if the lock file is still in place: a lock on a removed or replaced file has no effect.
  bool is_in_place() const noexcept;

  /// Writes a description of the holder into the file for other processes. Only while held.
  void describe(std::string_view holder) noexcept;

 private:
  State attempt();

  std::filesystem::path path_;
  FileDescriptor file_;
  State state_ = State::kTaken;
};

}  // namespace kernelbatch
