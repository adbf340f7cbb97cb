#include "core/result/digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBegin = "\nkernelbatch-digest ";
constexpr std::size_t kLineBytes =
    kBegin.size() + std::string_view("1 xxh3-128 ").size() + 32 + 1 + 20 + 1;

std::string line_of(const std::string& hash, std::uint64_t size) {
  return fmt::format("{}1 xxh3-128 {} {:020}\n", kBegin, hash, size);
}

Integrity judge(std::string_view found, const std::string& expected) {
  if (found == expected) return Integrity::kWhole;
  return found.starts_with(kBegin) ? Integrity::kDamaged : Integrity::kNoDigest;
}

FileDescriptor open_file(const fs::path& path, struct stat& status) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file || ::fstat(file.get(), &status) != 0)
    throw SpecError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    throw SpecError(fmt::format("cannot read '{}': it is not a regular file", path.string()));
  return file;
}

/// Reads `size` bytes from the current position, in pieces.
void read_pieces(const FileDescriptor& file, const fs::path& path, std::uint64_t size,
                 const std::function<void(std::span<const std::byte>)>& take) {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  while (size > 0) {
    const ssize_t count =
        ::read(file.get(), buffer.data(), std::min<std::uint64_t>(size, buffer.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw SpecError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
    if (count == 0) throw StoreError(fmt::format("'{}' became shorter while read", path.string()));
    take(std::span(buffer).first(static_cast<std::size_t>(count)));
    size -= static_cast<std::uint64_t>(count);
  }
}

std::string hash_of(const FileDescriptor& file, const fs::path& path, std::uint64_t size) {
  ContentHash hash;
  read_pieces(file, path, size, [&](std::span<const std::byte> piece) { hash.add(piece); });
  return hash.hex();
}

}  // namespace

std::string digest_line(std::span<const std::byte> content) {
  return line_of(hash_hex(content), content.size());
}

Integrity integrity_of(std::span<const std::byte> file) {
  if (file.size() < kLineBytes) return Integrity::kNoDigest;
  const auto line = file.last(kLineBytes);
  const std::string_view found(reinterpret_cast<const char*>(line.data()), line.size());
  if (!found.starts_with(kBegin)) return Integrity::kNoDigest;
  return judge(found, digest_line(file.first(file.size() - kLineBytes)));
}

Integrity integrity_of(const fs::path& path) {
  struct stat status {};
  const FileDescriptor file = open_file(path, status);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kLineBytes) return Integrity::kNoDigest;
  const std::uint64_t content = size - kLineBytes;
  // The digest line first: if there is none, nothing else is read.
  std::string found(kLineBytes, '\0');
  const ssize_t count =
      ::pread(file.get(), found.data(), found.size(), static_cast<off_t>(content));
  if (count != static_cast<ssize_t>(kLineBytes) || !found.starts_with(kBegin))
    return Integrity::kNoDigest;
  return judge(found, line_of(hash_of(file, path, content), content));
}

void append_digest(const NewFile& file) {
  const fs::path path = file.path();
  const off_t size = ::lseek(file.descriptor().get(), 0, SEEK_END);
  if (size < 0 || ::lseek(file.descriptor().get(), 0, SEEK_SET) < 0)
    throw StoreError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  const auto bytes = static_cast<std::uint64_t>(size);
  const std::string line = line_of(hash_of(file.descriptor(), path, bytes), bytes);
  const ssize_t written = ::pwrite(file.descriptor().get(), line.data(), line.size(), size);
  if (written != static_cast<ssize_t>(line.size()))
    throw StoreError(fmt::format("cannot write '{}': {}", path.string(),
                                 written < 0 ? std::strerror(errno) : "the disk is full"));
}

}  // namespace kernelbatch
