// RAII wrappers of HDF5 that throw on errors: the only use of the library.
//
// Every function throws StoreError with HDF5's own innermost reason. Not thread-safe: HDF5 has
// global state. Finished files are opened without a lock, because they never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/unique_handle.hpp"

namespace kernelbatch::h5 {

/// HDF5's hid_t; checked by an assertion in detail.cpp.
using Id = std::int64_t;

namespace detail {
void close(Id id) noexcept;
}
using Handle = UniqueHandle<Id, detail::close>;

using Shape = std::vector<std::int64_t>;

/// Stored element types. Text is variable-length UTF-8.
enum class Type : std::uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat32,
  kFloat64,
  kText,
};

/// Bytes of one element in memory; a pointer's for text.
std::size_t size_of(Type type) noexcept;

/// Layout of a dataset in the file.
struct Layout {
  Type type = Type::kFloat64;
  Shape shape{};          ///< empty: a scalar
  Shape chunk{};          ///< empty: contiguous
  int deflate = 0;        ///< 0 to 9, with shuffle; chunked only
  bool growable = false;  ///< along axis 0; chunked only
  bool checksum = false;  ///< fletcher32; chunked only
};

/// A member of a table's rows: an integer, a real, or text of a fixed length.
struct Member {
  std::string name;
  Type type = Type::kInt64;  ///< or kFloat64, or kText
  std::size_t text_bytes = 0;

  std::size_t size() const noexcept { return type == Type::kText ? text_bytes : size_of(type); }
};

/// Attributes, common to groups and datasets.
class Object {
 public:
  explicit Object(Handle handle) noexcept : handle_(std::move(handle)) {}

  void set(std::string_view name, std::string_view text);
  void set(std::string_view name, const char* text) { set(name, std::string_view(text)); }
  void set(std::string_view name, std::int64_t value);
  void set(std::string_view name, double value);
  void set(std::string_view name, std::span<const std::int8_t> values);

  /// The value of a scalar text attribute; std::nullopt if there is none of that name and kind.
  std::optional<std::string> text(std::string_view name) const;
  /// The value of a scalar integer attribute; std::nullopt if there is none.
  std::optional<std::int64_t> integer(std::string_view name) const;

  Id id() const noexcept { return handle_.get(); }

 private:
  Handle handle_;
};

/// An array in a file. Rows are positions along axis 0.
class Dataset : public Object {
 public:
  using Object::Object;
  /// A dataset created with that layout.
  Dataset(Handle handle, Layout layout) : Object(std::move(handle)), layout_(std::move(layout)) {}

  Shape shape() const;
  /// Queried from HDF5 once. Throws StoreError for elements in other files.
  const Layout& layout() const;
  /// The length of a one-dimensional dataset. Throws StoreError for other shapes, and if it claims
  /// more rows than its file can hold.
  std::int64_t rows() const;

  /// Writes all elements in C order; the number of bytes must match. Large chunks are compressed on
  /// all cores.
  void write(std::span<const std::byte> bytes);
  void write(std::span<const std::string> texts);
  /// Grows a one-dimensional growable dataset and fills its new rows.
  void append(std::span<const std::byte> bytes);
  void append(std::span<const std::string> texts);

  /// Reads all elements. Throws StoreError if the dataset claims far more elements than its file
  /// can hold.
  std::vector<std::byte> read() const;
  /// Rows [start, start + count) of a one-dimensional dataset.
  void read_rows(std::int64_t start, std::int64_t count, std::span<std::byte> bytes) const;
  std::vector<std::string> read_text_rows(std::int64_t start, std::int64_t count) const;
  std::string read_text() const;  ///< of a scalar

  /// Makes this dataset the named dimension scale `name`.
  void make_scale(std::string_view name);
  /// `scale` names axis `axis` of this dataset.
  void attach_scale(const Dataset& scale, unsigned axis);

  /// Copies the elements of `source`, which has the same layout; compressed chunks are copied
  /// unchanged, one at a time.
  void copy_from(const Dataset& source);

 private:
  /// `slack`: bytes that may be missing in the file.
  void require_stored(std::uint64_t slack) const;
  void write_chunks(const Layout& layout, std::span<const std::byte> bytes);
  void write_at_end(std::int64_t rows, const void* data);

  mutable std::optional<Layout> layout_;
};

/// A group in a file, its links in order of creation. Links to other files are not followed: only
/// the named file is read.
class Group : public Object {
 public:
  using Object::Object;

  Group create_group(std::string_view name);
  Dataset create_dataset(std::string_view name, const Layout& layout);
  /// Rows of contiguous members, laid out as in C without padding: a PyTables table. Text is padded
  /// with NUL. For exports only: netCDF cannot read such types.
  void write_table(std::string_view name, std::span<const Member> members,
                   std::span<const std::byte> rows);
  /// Follows a path `a/b/c`.
  Group group(std::string_view path) const;
  Dataset dataset(std::string_view path) const;
  /// True if there is a link at every step of `a/b/c`.
  bool has(std::string_view path) const;
  /// Names of all links, in order of creation if the file keeps it, else by name.
  std::vector<std::string> names() const;
};

class File {
 public:
  /// A new file, readable by HDF5 1.8 and later.
  static File create(const std::filesystem::path& path);
  /// The same in a file that has its temporary name.
  static File create(const NewFile& file);
  /// A new file that exists only in memory.
  static File create_in_memory();
  /// A finished file, read only.
  static File open(const std::filesystem::path& path);
  /// Opens a copy of a finished file's bytes.
  static File open_image(std::span<const std::byte> image);

  Group root() const;
  /// The bytes that the file would have on disk.
  std::vector<std::byte> image() const;
  /// Writes everything to the operating system and closes; every object must be closed before.
  /// Throws StoreError if that fails, or if an object's data could not be written when it was
  /// closed. The destructor also closes, but cannot report a failed write.
  void close();

 private:
  explicit File(Handle handle) noexcept;
  Handle handle_;
  std::uint64_t failed_closes_ = 0;  ///< of this process at opening
};

/// True if the file has HDF5's signature. Throws SpecError if the system cannot read it, and if it
/// is not a regular file.
bool is_hdf5(const std::filesystem::path& path);

}  // namespace kernelbatch::h5
