#include "core/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
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

/// So that a power cut leaves it: a folder's name is in its parent, which needs an fsync.
void create_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> parents;
  for (fs::path path = fs::absolute(folder); !fs::exists(path, error) && path.has_relative_path();
       path = path.parent_path())
    parents.push_back(path.parent_path());
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder))
    throw StoreError(
        fmt::format("cannot create the folder '{}': {}", folder.string(), error.message()));
  for (const fs::path& parent : parents) {
    const FileDescriptor descriptor{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    // Some network file systems refuse it; nothing better can be done there.
    if (descriptor) ::fsync(descriptor.get());
    KERNELBATCH_FAILPOINT("folder.synced");
  }
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor) fail(folder, "open folder");
  // Some network file systems refuse fsync on folders; the rename is still atomic there.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(folder, "fsync folder");
}

void write_all(int descriptor, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Removes a temporary file unless it was committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

}  // namespace

void detail::close_descriptor(int descriptor) noexcept { ::close(descriptor); }

std::string read_file(const fs::path& path) {
  const FileDescriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!descriptor) throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) == 0 && S_ISDIR(status.st_mode))
    throw SpecError(fmt::format("cannot read '{}': it is a folder", path.string()));
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
  static std::atomic<unsigned> counter{0};
  return folder_of(path) /
         fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
}

void write_file_atomically(const fs::path& path, std::span<const std::byte> bytes) {
  create_folder(folder_of(path));
  TemporaryFile temporary{temporary_name(path)};
  {
    const FileDescriptor descriptor{
        ::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (!descriptor) {
      const int code = errno;
      temporary.keep();
      errno = code;
      fail(path, "create");
    }
    KERNELBATCH_FAILPOINT("file.created");
    write_all(descriptor.get(), bytes, path);
    KERNELBATCH_FAILPOINT("file.written");
    if (::fsync(descriptor.get()) != 0) fail(path, "fsync");
    KERNELBATCH_FAILPOINT("file.synced");
  }
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) fail(path, "rename to");
  temporary.keep();
  KERNELBATCH_FAILPOINT("file.renamed");
  sync_folder(folder_of(path));
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

void append_to_file(const fs::path& path, std::string_view text) {
  const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)};
  if (!file) fail(path, "open");
  write_all(file.get(), std::as_bytes(std::span(text.data(), text.size())), path);
}

void commit_file(const fs::path& from, const fs::path& to) {
  {
    const FileDescriptor descriptor{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!descriptor) fail(from, "open");
    if (::fsync(descriptor.get()) != 0) fail(from, "fsync");
  }
  KERNELBATCH_FAILPOINT("commit.synced");
  if (::rename(from.c_str(), to.c_str()) != 0) fail(to, "rename to");
  KERNELBATCH_FAILPOINT("commit.renamed");
  sync_folder(folder_of(to));
}

void make_writable_folder(const fs::path& folder) {
  create_folder(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(folder, "write into");
}

fs::path executable_path() { return fs::read_symlink("/proc/self/exe"); }

MappedFile::MappedFile(const fs::path& path)
    : MappedFile(FileDescriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)}, path) {}

MappedFile::MappedFile(const FileDescriptor& descriptor, const fs::path& path) {
  struct stat status {};
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0)
    throw SpecError(fmt::format("cannot read '{}': {}", path.string(), reason()));
  if (!S_ISREG(status.st_mode))
    throw SpecError(fmt::format("cannot read '{}': it is not a regular file", path.string()));
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
