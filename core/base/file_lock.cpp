#include "core/base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

namespace kernelbatch {
namespace {

/// Prolongs the wait by no more than a tenth.
std::chrono::nanoseconds pause_after(std::chrono::nanoseconds waited) {
  return std::clamp<std::chrono::nanoseconds>(waited / 10, std::chrono::milliseconds(1),
                                              std::chrono::milliseconds(50));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience,
                   const std::function<bool()>& is_done)
    : path_(path) {
  const auto begin = std::chrono::steady_clock::now();
  // Polls, since a blocking flock could wait indefinitely.
  for (;;) {
    state_ = attempt();
    if (state_ != State::kTaken || is_done()) return;
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= patience) return;
    std::this_thread::sleep_for(pause_after(waited));
  }
}

FileLock::State FileLock::attempt() {
  const std::error_code error = try_create_folder(path_.parent_path());
  // Through a link, another user's file would be locked and overwritten by describe().
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor file{::open(path_.c_str(), O_RDWR | O_CREAT | kFlags, 0666)};
  // A file of another user of the group, whose umask permits only reading.
  if (!file && errno == EACCES) file = FileDescriptor{::open(path_.c_str(), O_RDONLY | kFlags)};
  // The last holder has just removed the file, or also the folder.
  if (!file && errno == ENOENT && (!error || is_in_flux(error))) return State::kTaken;
  if (!file) return State::kImpossible;
  struct stat mine {};
  if (::fstat(file.get(), &mine) != 0 || !S_ISREG(mine.st_mode) || mine.st_nlink > 1)
    return State::kImpossible;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK || errno == EINTR ? State::kTaken : State::kImpossible;
  file_ = std::move(file);
  // The last holder removes the file: a lock on a removed file has no effect.
  if (is_in_place()) return State::kHeld;
  file_.reset();
  return State::kTaken;
}

bool FileLock::is_in_place() const noexcept {
  struct stat mine {};
  struct stat there {};
  // A file system that does not answer is not evidence.
  if (::fstat(file_.get(), &mine) != 0) return true;
  if (::lstat(path_.c_str(), &there) != 0) return errno != ENOENT && errno != ENOTDIR;
  return mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

void FileLock::describe(std::string_view holder) noexcept {
  // A failure to write the description, on a full disk, does not affect the lock.
  if (::ftruncate(file_.get(), 0) != 0) return;
  [[maybe_unused]] const auto written = ::pwrite(file_.get(), holder.data(), holder.size(), 0);
}

FileLock::~FileLock() {
  if (is_held() && is_in_place()) ::unlink(path_.c_str());
}

}  // namespace kernelbatch
