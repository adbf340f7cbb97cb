// HDF5 behind owners and throwing calls: the one door to the library.
//
// Every function throws StoreError with HDF5's own innermost reason. Not for two threads at once:
// HDF5 keeps global state. Finished files are opened without a lock, because they never change.
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

/// HDF5's hid_t; h5_detail.cpp asserts that it is.
using Id = std::int64_t;

namespace detail {
void close(Id id) noexcept;
}
using Handle = UniqueHandle<Id, detail::close>;

using Shape = std::vector<std::int64_t>;

/// Element types that are stored. Text is variable-length UTF-8.
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

/// How a dataset lies in the file.
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

/// What a group and a dataset share: attributes.
class Object {
 public:
  explicit Object(Handle handle) noexcept : handle_(std::move(handle)) {}

  void set(std::string_view name, std::string_view text);
  void set(std::string_view name, const char* text) { set(name, std::string_view(text)); }
  void set(std::string_view name, std::int64_t value);
  void set(std::string_view name, double value);
  void set(std::string_view name, std::span<const std::int8_t> values);

  /// The text of a scalar text attribute; nothing where there is none of that name and kind.
  std::optional<std::string> text(std::string_view name) const;
  /// The value of a scalar integer attribute; nothing where there is none.
  std::optional<std::int64_t> integer(std::string_view name) const;

  Id id() const noexcept { return handle_.get(); }

 private:
  Handle handle_;
};

/// An array in a file. Rows are positions along axis 0.
class Dataset : public Object {
 public:
  using Object::Object;
  /// One that was created with that layout.
  Dataset(Handle handle, Layout layout) : Object(std::move(handle)), layout_(std::move(layout)) {}

  Shape shape() const;
  /// Asked of HDF5 once. Throws StoreError for elements that lie in other files.
  const Layout& layout() const;
  /// The length of a one-dimensional dataset. Throws StoreError for another, and for one that
  /// claims more rows than its file can hold.
  std::int64_t rows() const;

  /// All elements, C order; the count of bytes must be the dataset's. Large chunks are compressed
  /// on all cores.
  void write(std::span<const std::byte> bytes);
  void write(std::span<const std::string> texts);
  /// Grows a one-dimensional growable dataset and fills its new rows.
  void append(std::span<const std::byte> bytes);
  void append(std::span<const std::string> texts);

  /// Throws StoreError for what claims far more elements than its file can hold.
  std::vector<std::byte> read() const;
  /// Rows [start, start + count) of a one-dimensional dataset.
  void read_rows(std::int64_t start, std::int64_t count, std::span<std::byte> bytes) const;
  std::vector<std::string> read_text_rows(std::int64_t start, std::int64_t count) const;
  std::string read_text() const;  ///< of a scalar

  /// Makes this dataset the named dimension scale `name`.
  void make_scale(std::string_view name);
  /// `scale` names axis `axis` of this dataset.
  void attach_scale(const Dataset& scale, unsigned axis);

  /// Fills this dataset with the elements of `source`, which has the same layout; compressed chunks
  /// are carried over as they are, one at a time.
  void copy_from(const Dataset& source);

 private:
  /// `slack`: bytes that need not be in the file.
  void require_stored(std::uint64_t slack) const;
  void write_chunks(const Layout& layout, std::span<const std::byte> bytes);
  void write_at_end(std::int64_t rows, const void* data);

  mutable std::optional<Layout> layout_;
};

/// A folder in a file, its links kept in order of creation. Links to other files lead nowhere: what
/// is read is the file that was named, and no other.
class Group : public Object {
 public:
  using Object::Object;

  Group create_group(std::string_view name);
  Dataset create_dataset(std::string_view name, const Layout& layout);
  /// Rows of members side by side, as C has them without padding: what PyTables calls a table. Text
  /// is padded with NUL. For exports only: netCDF reads no such types.
  void write_table(std::string_view name, std::span<const Member> members,
                   std::span<const std::byte> rows);
  /// Follows a path `a/b/c`.
  Group group(std::string_view path) const;
  Dataset dataset(std::string_view path) const;
  /// Is there a link at every step of `a/b/c`?
  bool has(std::string_view path) const;
  /// Names of all links, in order of creation where the file keeps it, else by name.
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
  /// A finished file's bytes, which are copied.
  static File open_image(std::span<const std::byte> image);

  Group root() const;
  /// The bytes that the file would have on disk.
  std::vector<std::byte> image() const;
  /// Writes everything to the operating system and closes; every object must be closed before.
  /// Throws StoreError where that fails, or where what an object held could not be written when it
  /// was closed. The destructor also closes, but cannot say that a write failed.
  void close();

 private:
  explicit File(Handle handle) noexcept;
  Handle handle_;
  std::uint64_t failed_closes_ = 0;  ///< of this process when the file was opened
};

/// Does the file have HDF5's signature? Throws SpecError where the system cannot read it, and for
/// what is not a regular file.
bool is_hdf5(const std::filesystem::path& path);

}  // namespace kernelbatch::h5
