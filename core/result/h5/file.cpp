// Files, on disk and in memory.
#include "core/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/base/error.hpp"
#include "core/result/h5/detail.hpp"

namespace kernelbatch::h5 {

using detail::be_quiet;
using detail::check;
using detail::ordered;
using detail::own;
using detail::property_list;

namespace {

constexpr std::size_t kMemoryGrowth = std::size_t{256} << 10;

Handle access_list() {
  be_quiet();
  Handle list = property_list(H5P_FILE_ACCESS);
  check(::H5Pset_file_locking(list.get(), 0, 1), "turn file locking off");
  return list;
}

Handle create_file(const std::string& name, const Handle& access) {
  // Version for writing; files of newer versions can be opened.
  check(::H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18),
        "bound the format's version");
  const Handle creation = ordered(H5P_FILE_CREATE);
  return own(::H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), "create",
             name);
}

/// HDF5 treats two in-memory files of the same name as one.
std::string name_in_memory() {
  static std::atomic<unsigned> counter{0};
  return fmt::format("memory {}", counter++);
}

/// Opens the file of a descriptor. Not by its path, which may have become a link since.
std::string name_of(const FileDescriptor& file, const std::filesystem::path& path) {
  const std::string opened = fmt::format("/proc/self/fd/{}", file.get());
  std::error_code ignored;
  return std::filesystem::exists(opened, ignored) ? opened : path.string();
}

}  // namespace

File File::create(const std::filesystem::path& path) {
  const FileDescriptor made = kernelbatch::create_file(path);
  return File(create_file(name_of(made, path), access_list()));
}

File File::create(const NewFile& file) {
  return File(create_file(name_of(file.descriptor(), file.path()), access_list()));
}

File File::create_in_memory() {
  const Handle access = access_list();
  check(::H5Pset_fapl_core(access.get(), kMemoryGrowth, false), "keep a file in memory");
  return File(create_file(name_in_memory(), access));
}

File File::open(const std::filesystem::path& path) {
  try {
    require_regular_file(path);
  } catch (const SpecError& error) {
    throw StoreError(error.what());
  }
  const Handle access = access_list();
  return File(own(::H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "open", path.string()));
}

File File::open_image(std::span<const std::byte> image) {
  const Handle access = access_list();
  check(::H5Pset_fapl_core(access.get(), kMemoryGrowth, false), "keep a file in memory");
  // HDF5 copies the image; its prototype only lacks the const.
  check(::H5Pset_file_image(access.get(), const_cast<std::byte*>(image.data()), image.size()),
        "set a file's bytes");
  return File(own(::H5Fopen(name_in_memory().c_str(), H5F_ACC_RDONLY, access.get()), "open"));
}

Group File::root() const {
  return Group(own(::H5Gopen2(handle_.get(), "/", H5P_DEFAULT), "open group", "/"));
}

std::vector<std::byte> File::image() const {
  check(::H5Fflush(handle_.get(), H5F_SCOPE_LOCAL), "flush");
  std::vector<std::byte> bytes(static_cast<std::size_t>(
      check(::H5Fget_file_image(handle_.get(), nullptr, 0), "size a file in memory")));
  check(::H5Fget_file_image(handle_.get(), bytes.data(), bytes.size()), "copy a file in memory");
  return bytes;
}

File::File(Handle handle) noexcept
    : handle_(std::move(handle)), failed_closes_(detail::failed_closes()) {}

void File::close() {
  check(::H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), "flush");
  check(::H5Fclose(handle_.release()), "close");
  // A later write of the same data may succeed and hide this failure.
  if (detail::failed_closes() != failed_closes_)
    throw StoreError("HDF5 could not write a part of it: an object of it failed to close");
}

bool is_hdf5(const std::filesystem::path& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  // Not HDF5's own search, which loops endlessly on 512 bytes of zeros.
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0)
    throw SpecError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    throw SpecError(fmt::format("cannot read '{}': it is not a regular file", path.string()));
  char found[kSignature.size()];
  // After another program's block it is at 512, 1024, 2048, …
  for (off_t at = 0; at < status.st_size; at = at == 0 ? 512 : 2 * at)
    if (::pread(file.get(), found, sizeof found, at) == static_cast<ssize_t>(sizeof found) &&
        std::string_view(found, sizeof found) == kSignature)
      return true;
  return false;
}

}  // namespace kernelbatch::h5
