#include "core/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/failpoint.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw StoreError(fmt::format("cannot {} '{}': {}", what, path.string(), reason()));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Time to create a folder that another process may be removing.
constexpr std::chrono::milliseconds kFolderPatience{200};

/// True for a permanent obstacle to creating a folder: a file, or a dangling link.
bool is_in_the_way(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  return type != fs::file_type::not_found && type != fs::file_type::directory &&
         !fs::is_directory(path, ignored);
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor) fail(folder, "open folder");
  // Some network file systems refuse fsync on folders; renames are still atomic there.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(folder, "fsync folder");
}

/// Kind of a path that is not a regular file; empty for a regular file.
std::string_view kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// `/dev/stdin` and equivalents: redirected standard input of any kind.
bool is_standard_input(const fs::path& path) {
  return path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

/// Throws unless `path` may be replaced by a file: it is a file, a link to one, or does not exist.
void require_replaceable(const fs::path& path) {
  std::error_code ignored;
  // Links there refer to open files.
  const std::string folder = fs::weakly_canonical(folder_of(path), ignored).string() + "/";
  const bool is_special = (folder.starts_with("/dev/") && !folder.starts_with("/dev/shm/")) ||
                          folder.starts_with("/proc/");
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  const std::string_view kind = is_special ? "a device" : is_there ? kind_of(status.st_mode) : "";
  if (kind.empty()) return;
  throw StoreError(fmt::format("cannot write '{}': it is {}; name a file", path.string(), kind));
}

}  // namespace

NewFile::NewFile(const fs::path& path, Writers writers) {
  struct stat status {};
  do {
    name_ = temporary_name(path);
    descriptor_ =
        FileDescriptor{::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                              writers == Writers::kOwner ? 0644 : 0666)};
    if (!descriptor_) {
      const int code = errno;
      name_.clear();
      errno = code;
      fail(path, "create");
    }
    // Some file systems have no locks; is_abandoned() is then false.
    ::flock(descriptor_.get(), LOCK_EX | LOCK_NB);
    // Before it was locked it looked abandoned.
  } while (::fstat(descriptor_.get(), &status) == 0 && status.st_nlink == 0);
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void NewFile::commit(const fs::path& path) {
  require_replaceable(path);
  if (::fsync(descriptor_.get()) != 0) fail(path, "fsync");
  KERNELBATCH_FAILPOINT("commit.synced");
  if (::rename(name_.c_str(), path.c_str()) != 0) fail(path, "rename to");
  name_.clear();
  KERNELBATCH_FAILPOINT("commit.renamed");
  sync_folder(folder_of(path));
}

bool is_abandoned(const fs::path& temporary) noexcept {
  const FileDescriptor file{
      ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

void detail::close_descriptor(int descriptor) noexcept { ::close(descriptor); }

void write_all(int descriptor, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

FileDescriptor create_file(const fs::path& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file{::open(path.c_str(), kFlags, 0666)};
  if (!file && errno == EEXIST && ::unlink(path.c_str()) == 0)
    file = FileDescriptor{::open(path.c_str(), kFlags, 0666)};
  if (!file) fail(path, "create");
  return file;
}

void require_regular_file(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (const std::string_view kind = kind_of(status.st_mode); !kind.empty())
    throw SpecError(fmt::format("cannot read '{}': it is {}, not a file", path.string(), kind));
}

void refuse_link(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    throw StoreError(fmt::format(
        "'{}' is a link, and links are not followed when writing results: remove it, or choose "
        "another output (-o)",
        path.string()));
}

std::string read_file(const fs::path& path) {
  // Opening a pipe for reading would wait for a writer.
  const int patience = is_standard_input(path) ? 0 : O_NONBLOCK;
  const FileDescriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | patience)};
  if (!descriptor) throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0)
    throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
  const std::string_view kind = kind_of(status.st_mode);
  const bool may_be_pipe = is_standard_input(path) && !S_ISDIR(status.st_mode);
  if (!kind.empty() && !may_be_pipe)
    throw SpecError(fmt::format(
        "cannot read '{}': it is {}{}", path.string(), kind,
        S_ISDIR(status.st_mode) ? "" : ", not a file: write what it gives to a file first"));
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(descriptor.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

fs::path temporary_name(const fs::path& path) {
  // Process numbers repeat on other nodes and in containers, and the name must not be predictable.
  static std::atomic<unsigned> counter{0};
  std::uint64_t chance = 0;
  if (::getrandom(&chance, sizeof chance, 0) != sizeof chance)
    chance = static_cast<std::uint64_t>(::getpid());
  // Leaves room for the rest in long names.
  constexpr std::size_t kLongest = 200;
  return folder_of(path) / fmt::format(".{}.{:016x}.{}.tmp",
                                       path.filename().string().substr(0, kLongest), chance,
                                       counter++);
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes,
                           Writers writers) {
  require_replaceable(path);
  make_writable_folder(folder_of(path));
  NewFile file(path, writers);
  KERNELBATCH_FAILPOINT("file.created");
  write_all(file.descriptor().get(), bytes, path);
  KERNELBATCH_FAILPOINT("file.written");
  file.commit(path);
}

void write_file_atomically(const fs::path& path, std::string_view text, Writers writers) {
  write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())), writers);
}

std::string reason_no_trust(const fs::path& path, Owner owner) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  const bool is_allowed =
      status.st_uid == ::geteuid() || (owner == Owner::kUserOrRoot && status.st_uid == 0);
  if (!is_allowed)
    return fmt::format("'{}' belongs to the user {}, not to {}: fix it with `chown -R {} '{}'`",
                       path.string(), status.st_uid, ::geteuid(), ::geteuid(), path.string());
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("'{}' may be written by others: fix it with `chmod -R go-w '{}'`",
                       path.string(), path.string());
  return "";
}

void make_own_folder(const fs::path& folder) noexcept {
  struct stat status {};
  if (folder.empty() || ::stat(folder.c_str(), &status) == 0) return;
  make_own_folder(folder.parent_path());
  ::mkdir(folder.c_str(), 0755);
}

bool is_in_flux(const std::error_code& error) noexcept {
  return error == std::errc::no_such_file_or_directory || error == std::errc::file_exists ||
         error == std::errc::not_a_directory;
}

std::error_code try_create_folder(const fs::path& folder) {
  const auto deadline = std::chrono::steady_clock::now() + kFolderPatience;
  std::error_code error;
  do {
    fs::create_directories(folder, error);
    if (!is_in_flux(error)) break;
    for (fs::path path = folder; !path.empty() && path != path.root_path();
         path = path.parent_path())
      if (is_in_the_way(path)) return error;
  } while (std::chrono::steady_clock::now() < deadline);
  return error;
}

void make_writable_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> parents;
  for (fs::path path = fs::absolute(folder); !fs::exists(path, error) && path.has_relative_path();
       path = path.parent_path())
    parents.push_back(path.parent_path());
  const auto deadline = std::chrono::steady_clock::now() + kFolderPatience;
  for (;;) {
    error = try_create_folder(folder);
    if (error && !fs::is_directory(folder))
      throw StoreError(
          fmt::format("cannot create the folder '{}': {}", folder.string(), error.message()));
    if (::access(folder.c_str(), W_OK | X_OK) == 0) break;
    if (errno != ENOENT || std::chrono::steady_clock::now() >= deadline) fail(folder, "write into");
  }
  // For durability: a folder's name is in its parent, which needs an fsync.
  for (const fs::path& parent : parents) {
    const FileDescriptor descriptor{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    // Some network file systems refuse it; there is no alternative there.
    if (descriptor) ::fsync(descriptor.get());
    KERNELBATCH_FAILPOINT("folder.synced");
  }
}

fs::path executable_path() { return fs::read_symlink("/proc/self/exe"); }

MappedFile::MappedFile(const fs::path& path)
    : MappedFile(FileDescriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)}, path) {}

MappedFile::MappedFile(const FileDescriptor& descriptor, const fs::path& path) {
  struct stat status {};
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0)
    throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
  if (const std::string_view kind = kind_of(status.st_mode); !kind.empty())
    throw SpecError(fmt::format("cannot read '{}': it is {}, not a file", path.string(), kind));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (memory == MAP_FAILED)
    throw SpecError(fmt::format("cannot map '{}': {}", path.string(), reason()));
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace kernelbatch
