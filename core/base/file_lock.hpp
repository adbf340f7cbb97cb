// CacheLock: the right to compile one key, held by one process at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/file.hpp"

namespace kernelbatch {

/// An advisory lock of the system (flock), so that it is free as soon as its holder ends, however
/// it ends. Its file is removed when it is given back.
class CacheLock {
 public:
  /// Waits until the lock of `path` is held, `is_done()` says that it is no longer wanted, or
  /// `patience` is over: a holder that is stopped, or a server that does not answer, must not stop
  /// the others. Does not throw: a place that cannot be locked gives a lock that is not held.
  CacheLock(const std::filesystem::path& path, std::chrono::milliseconds patience,
            const std::function<bool()>& is_done);
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  ~CacheLock();

  bool is_held() const noexcept { return static_cast<bool>(file_); }

 private:
  enum class Attempt { kHeld, kTaken, kImpossible };
  Attempt attempt();

  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace kernelbatch
