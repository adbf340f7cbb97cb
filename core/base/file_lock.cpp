#include "core/kernel/cache_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace kernelbatch {

CacheLock::CacheLock(const std::filesystem::path& path, std::chrono::milliseconds patience,
                     const std::function<bool()>& is_done)
    : path_(path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // Asked again and again, since a blocking flock could wait for ever.
  for (std::chrono::milliseconds pause{1};;) {
    const Attempt result = attempt();
    if (result != Attempt::kTaken || is_done()) return;
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds{50});
  }
}

CacheLock::Attempt CacheLock::attempt() {
  FileDescriptor file{::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
  // Of another user of the group, whose umask lets us only read.
  if (!file && errno == EACCES) file = FileDescriptor{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return Attempt::kImpossible;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK || errno == EINTR ? Attempt::kTaken : Attempt::kImpossible;
  // The last holder removes the file: a lock of a removed file keeps nobody out.
  struct stat mine {};
  struct stat there {};
  if (::fstat(file.get(), &mine) != 0 || ::stat(path_.c_str(), &there) != 0 ||
      mine.st_ino != there.st_ino || mine.st_dev != there.st_dev)
    return Attempt::kTaken;
  file_ = std::move(file);
  return Attempt::kHeld;
}

CacheLock::~CacheLock() {
  if (is_held()) ::unlink(path_.c_str());
}

}  // namespace kernelbatch
