// Reading whole files, and writing them so that a file with its final name is always whole.
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

/// Whole content of a regular file, or of standard input where `path` names it. Throws SpecError
/// with the path and the system's reason; of what is no regular file nothing is read.
std::string read_file(const std::filesystem::path& path);

/// Who may write a new file: whom the umask lets, or its owner alone.
enum class Writers : bool { kByUmask, kOwner };

/// Writes `bytes` to a temporary name beside `path`, fsyncs, renames over `path`, fsyncs the
/// folder. After a crash at any instant `path` is either what it was or whole. Creates the folder
/// where it is missing. A link at `path` is replaced, never followed. Throws StoreError, also where
/// a device, a pipe or a folder is at `path`, and then leaves no temporary file behind.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Writers writers = Writers::kByUmask);
void write_file_atomically(const std::filesystem::path& path, std::string_view text,
                           Writers writers = Writers::kByUmask);

/// A new, empty file that nobody else can have prepared: what had its name, a link or a leftover,
/// is removed first. Throws StoreError.
FileDescriptor create_file(const std::filesystem::path& path);

/// Writes all of `bytes`. Throws StoreError that names `path`.
void write_all(int descriptor, std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Throws SpecError where `path` is there and is a pipe, a device, a socket or a folder: opening
/// one may wait for ever, and reading it may never end.
void require_regular_file(const std::filesystem::path& path);

/// Throws StoreError where `path` itself is a link: what is written through it is somebody else's.
void refuse_link(const std::filesystem::path& path);

/// A name for a temporary file beside `path`, unique and not to be guessed.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// A file that is being written under a temporary name and gets its final name when it is complete.
/// It is locked (flock), so that is_abandoned() recognises what a killed process left.
class NewFile {
 public:
  /// In the folder of `path`, which must exist. Throws StoreError.
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

/// Who else may have made what is loaded.
enum class Owner : bool { kUser, kUserOrRoot };

/// Why what is at `path` cannot be trusted, and what mends it: it belongs to somebody else, or its
/// group or others may write it. Empty where it can, or where nothing is there. Links are followed.
std::string reason_no_trust(const std::filesystem::path& path, Owner owner);

/// Creates `folder` and its parents where they are missing, writable for their owner alone whatever
/// the umask allows. Does not throw: who needs them finds out.
void make_own_folder(const std::filesystem::path& folder) noexcept;

/// Whether a path failed as it does when another process removes it, or a folder on the way to it,
/// meanwhile.
bool is_in_flux(const std::error_code& error) noexcept;

/// Creates `folder` and its parents, also where another process removes them meanwhile, because it
/// has finished with them. The error is that of the last attempt; none where the folder is there.
std::error_code try_create_folder(const std::filesystem::path& folder);

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
