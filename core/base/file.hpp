// Reading files, and writing them so that a file with its final name is always complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/unique_handle.hpp"

namespace kernelbatch {

namespace detail {
void close_descriptor(int descriptor) noexcept;
}

/// Owner of a POSIX file descriptor.
using FileDescriptor = UniqueHandle<int, detail::close_descriptor, -1>;

/// Reads a regular file, or standard input if `path` names it. Throws SpecError with the path and
/// the system's reason; other kinds of files are not read.
std::string read_file(const std::filesystem::path& path);

/// Write permission of a new file: according to the umask, or only its owner.
enum class Writers : bool { kByUmask, kOwner };

/// Writes `bytes` to a temporary file next to `path`, fsyncs, renames over `path`, fsyncs the
/// folder. After a crash at any time `path` is unchanged or complete. Creates the folder if it is
/// missing. A link at `path` is replaced, never followed. Throws StoreError, also if `path` is a
/// device, a pipe or a folder, and then leaves no temporary file.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Writers writers = Writers::kByUmask);
void write_file_atomically(const std::filesystem::path& path, std::string_view text,
                           Writers writers = Writers::kByUmask);

/// Creates a new, empty file: an existing file, link or leftover of that name is removed first.
/// Throws StoreError.
FileDescriptor create_file(const std::filesystem::path& path);

/// Writes all of `bytes`. Throws StoreError that names `path`.
void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Throws SpecError if `path` exists and is a pipe, a device, a socket or a folder: opening or
/// reading it may block indefinitely.
void require_regular_file(const std::filesystem::path& path);

/// Throws StoreError if `path` itself is a link: writing through it could modify another user's
/// file.
void refuse_link(const std::filesystem::path& path);

/// A unique, unpredictable name for a temporary file next to `path`.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// A file that is being written under a temporary name and gets its final name when it is complete.
/// It is locked (flock), so that is_abandoned() recognises what a killed process left.
class NewFile {
 public:
  /// Creates the file in the folder of `path`, which must exist. Throws StoreError.
  explicit NewFile(const std::filesystem::path& path, Writers writers = Writers::kByUmask);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const FileDescriptor& descriptor() const noexcept { return descriptor_; }
  /// The temporary name.
  const std::filesystem::path& path() const noexcept { return name_; }
  /// Fsyncs the file, gives it the name `path`, which is in the same folder, and fsyncs the folder.
  /// Throws StoreError.
  void commit(const std::filesystem::path& path);

 private:
  FileDescriptor descriptor_;
  std::filesystem::path name_;  ///< empty after commit()
};

/// True if the writer of a NewFile with this temporary name has ended. False if that is unknown.
bool is_abandoned(const std::filesystem::path& temporary) noexcept;

/// Permitted owners of loaded files.
enum class Owner : bool { kUser, kUserOrRoot };

/// Why the file at `path` cannot be trusted, and how to fix it: it belongs to another user, or its
/// group or others may write it. Empty if it can be trusted or does not exist. Links are followed.
std::string reason_no_trust(const std::filesystem::path& path, Owner owner);

/// Creates `folder` and its parents if they are missing, writable only for their owner whatever the
/// umask. Does not throw: later uses report the failure.
void make_own_folder(const std::filesystem::path& folder) noexcept;

/// True if this error may be caused by another process that is removing the path or one of its
/// folders.
bool is_in_flux(const std::error_code& error) noexcept;

/// Creates `folder` and its parents, also if another process is removing them after use. Returns
/// the error of the last attempt; none if the folder exists.
std::error_code try_create_folder(const std::filesystem::path& folder);

/// Creates `folder` and its parents durably. Throws StoreError if that fails or the folder is not
/// writable.
void make_writable_folder(const std::filesystem::path& folder);

/// Path of the running executable.
std::filesystem::path executable_path();

/// A read-only file mapped into memory.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  /// `name` is the name in messages. The descriptor need not stay open.
  MappedFile(const FileDescriptor& file, const std::filesystem::path& name);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kernelbatch
