// Reading whole files, and writing them so that a file with its final name is always whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/unique_handle.hpp"

namespace kernelbatch {

namespace detail {
void close_descriptor(int descriptor) noexcept;
}

/// Owner of a POSIX file descriptor.
using FileDescriptor = UniqueHandle<int, detail::close_descriptor, -1>;

/// Whole content of a file. Throws SpecError with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes `bytes` to a temporary name beside `path`, fsyncs, renames over `path`, fsyncs the
/// folder. After a crash at any instant `path` is either what it was or whole. Creates the folder
/// where it is missing. Throws StoreError, and then leaves no temporary file behind.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Writes at the end of a file. Throws StoreError.
void append_to_file(const std::filesystem::path& path, std::string_view text);

/// Renames `from` to `to` after fsync of `from`, then fsyncs the folder. Throws StoreError.
void commit_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// A name for a temporary file beside `path`, unique to this process and call.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// Creates `folder` and its parents, so that a power cut leaves them. Throws StoreError when that
/// fails or it cannot be written to.
void make_writable_folder(const std::filesystem::path& folder);

/// Path of the running executable.
std::filesystem::path executable_path();

/// A read-only file mapped into memory.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  /// `name` is what messages call it. The descriptor need not stay open.
  MappedFile(const FileDescriptor& file, const std::filesystem::path& name);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kernelbatch
