// FileLock: the right to do something, held by one process at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/file.hpp"

namespace kernelbatch {

/// An advisory lock of the system (flock), so that it is free as soon as its holder ends, however
/// it ends: a file that was left behind keeps nobody out. The file is removed when the lock is
/// given back. Over NFS it keeps out processes of other nodes, too, unless the file system is
/// mounted with local locks.
class FileLock {
 public:
  enum class State : std::uint8_t {
    kHeld,
    kTaken,       ///< by another process
    kImpossible,  ///< the file cannot be made or is a link, or the file system has no locks
  };

  /// Waits until the lock of `path` is held, `is_done()` says that it is no longer wanted, or
  /// `patience` is over: a holder that is stopped, or a server that does not answer, must not stop
  /// the others. Makes the folder. Does not throw.
  FileLock(
      const std::filesystem::path& path, std::chrono::milliseconds patience,
      const std::function<bool()>& is_done = [] { return false; });
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  State state() const noexcept { return state_; }
  bool is_held() const noexcept { return state_ == State::kHeld; }

  /// Whether its file is still where it was made: a lock of a file that was removed or replaced
  /// keeps nobody out.
  bool is_in_place() const noexcept;

  /// Writes who holds it into the file, for others to read. Only while it is held.
  void describe(std::string_view holder) noexcept;

 private:
  State attempt();

  std::filesystem::path path_;
  FileDescriptor file_;
  State state_ = State::kTaken;
};

}  // namespace kernelbatch
