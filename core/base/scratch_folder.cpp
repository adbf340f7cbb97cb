#include "core/base/scratch_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Earlier versions used the prefix kernelbatch-compile- and did not lock the folders.
constexpr std::string_view kPrefix = "kernelbatch-scratch-";

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) {
    const char* const named = std::getenv("TMPDIR");
    throw EnvironmentError(fmt::format("there is no folder for temporary files (TMPDIR={}): {}",
                                       named != nullptr ? named : "", error.message()));
  }
  return folder;
}

/// Locks the folder unless another process holds it.
FileDescriptor locked(const fs::path& path) {
  FileDescriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat mine {};
  struct stat there {};
  if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return {};
  // Another process may have removed it as abandoned before it was locked.
  if (::fstat(folder.get(), &mine) != 0 || ::lstat(path.c_str(), &there) != 0 ||
      mine.st_ino != there.st_ino || mine.st_dev != there.st_dev || mine.st_uid != ::geteuid())
    return {};
  return folder;
}

bool has_locks(const fs::path& path) {
  const FileDescriptor folder{
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  return !folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno == EWOULDBLOCK;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  // Once per process: scanning the shared temporary folder costs more than a scratch folder.
  static std::once_flag once;
  std::call_once(once, remove_abandoned_scratch_folders);
  const fs::path folder = temporary_folder();
  constexpr int kTries = 5;
  for (int tries = 0; tries < kTries && !lock_; ++tries) {
    std::string name = (folder / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
      throw EnvironmentError(fmt::format("cannot create a temporary folder in '{}': {}",
                                         folder.string(), std::strerror(errno)));
    path_ = name;
    lock_ = locked(path_);
    if (!lock_ && !has_locks(path_)) break;  // then no process treats it as abandoned either
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const fs::path& name, std::string_view text) const {
  const fs::path path = path_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush())
    throw EnvironmentError(fmt::format("cannot write '{}': {}", path.string(),
                                       errno != 0 ? std::strerror(errno) : "the disk may be full"));
  return path;
}

void ScratchFolder::require_room() const {
  constexpr std::size_t kRoom = 64 << 10;
  std::error_code ignored;
  fs::remove(write("room", std::string(kRoom, 'x')), ignored);
}

void require_own_failure(const ProcessResult& result, const fs::path& program,
                         const ScratchFolder& scratch) {
  constexpr int kSignalled = 128;
  if (result.exit_status > kSignalled)
    throw EnvironmentError(fmt::format("'{}' was ended by signal {} ({})", program.string(),
                                       result.exit_status - kSignalled,
                                       ::strsignal(result.exit_status - kSignalled)));
  scratch.require_room();
}

void remove_abandoned_scratch_folders() noexcept {
  try {
    std::error_code error;
    for (fs::directory_iterator entry(temporary_folder(), error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path path = entry->path();
      if (!path.filename().string().starts_with(kPrefix)) continue;
      const FileDescriptor held = locked(path);
      if (!held) continue;
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } catch (const std::exception&) {  // leftovers are harmless
  }
}

}  // namespace kernelbatch
