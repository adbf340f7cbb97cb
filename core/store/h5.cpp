#include "core/store/h5.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/store/filters.hpp"

namespace kernelbatch::h5 {
namespace {

static_assert(std::is_same_v<Id, hid_t> || sizeof(Id) == sizeof(hid_t));

constexpr std::size_t kConversionBuffer = std::size_t{64} << 10;
constexpr std::size_t kMemoryGrowth = std::size_t{256} << 10;

extern "C" herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* reason) {
  if (error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

/// Of a failed read or write HDF5 tells the time, the descriptor and its buffer's address, over
/// several lines; of these only the system's own words say something.
std::string simplified(const std::string& reason) {
  constexpr std::string_view kBefore = "error message = '";
  const std::size_t begin = reason.find(kBefore);
  if (begin == std::string::npos) return reason;
  const std::size_t from = begin + kBefore.size();
  return fmt::format("{}: {}", reason.substr(0, reason.find(": ")),
                     reason.substr(from, reason.find('\'', from) - from));
}

/// HDF5's answer, or StoreError with the innermost entry of its error stack.
template <class Answer>
Answer check(Answer answer, std::string_view action, std::string_view name = {}) {
  if (answer >= 0) return answer;
  std::string reason = "no reason given";
  ::H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &reason);
  ::H5Eclear2(H5E_DEFAULT);
  reason = simplified(reason);
  throw StoreError(name.empty() ? fmt::format("HDF5 cannot {}: {}", action, reason)
                                : fmt::format("HDF5 cannot {} '{}': {}", action, name, reason));
}

Handle own(hid_t id, std::string_view action, std::string_view name = {}) {
  return Handle{check(id, action, name)};
}

/// HDF5 prints its error stack by default, one setting per thread. And when a write has failed it
/// crashes at the process's end, where it tries again; all files are closed by their owners.
void be_quiet() {
  static const bool has_no_end = ::H5dont_atexit() >= 0;
  static_cast<void>(has_no_end);
  thread_local const bool quiet = ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(quiet);
}

Handle property_list(hid_t kind) { return own(::H5Pcreate(kind), "create a property list"); }

Handle access_list() {
  be_quiet();
  Handle list = property_list(H5P_FILE_ACCESS);
  check(::H5Pset_libver_bounds(list.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18),
        "bound the format's version");
  check(::H5Pset_file_locking(list.get(), 0, 1), "turn file locking off");
  return list;
}

Handle ordered(hid_t kind) {
  Handle list = property_list(kind);
  check(::H5Pset_link_creation_order(list.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        "track the order of creation");
  return list;
}

Handle create_file(const std::string& name, const Handle& access) {
  const Handle creation = ordered(H5P_FILE_CREATE);
  return own(::H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), "create",
             name);
}

/// The default buffer for conversions, 1 MiB, is allocated and cleared again for each column.
hid_t transfer() {
  static const Handle list = [] {
    Handle made = property_list(H5P_DATASET_XFER);
    check(::H5Pset_buffer(made.get(), kConversionBuffer, nullptr, nullptr), "set a buffer");
    return made;
  }();
  return list.get();
}

Handle text_type() {
  Handle type = own(::H5Tcopy(H5T_C_S1), "copy a type");
  check(::H5Tset_size(type.get(), H5T_VARIABLE), "make text of any length");
  check(::H5Tset_cset(type.get(), H5T_CSET_UTF8), "make text UTF-8");
  return type;
}

Handle native_type(Type type) {
  const auto copy = [](hid_t id) { return own(::H5Tcopy(id), "copy a type"); };
  switch (type) {
    case Type::kInt8:
      return copy(H5T_NATIVE_INT8);
    case Type::kInt16:
      return copy(H5T_NATIVE_INT16);
    case Type::kInt32:
      return copy(H5T_NATIVE_INT32);
    case Type::kInt64:
      return copy(H5T_NATIVE_INT64);
    case Type::kUInt8:
      return copy(H5T_NATIVE_UINT8);
    case Type::kUInt16:
      return copy(H5T_NATIVE_UINT16);
    case Type::kUInt32:
      return copy(H5T_NATIVE_UINT32);
    case Type::kUInt64:
      return copy(H5T_NATIVE_UINT64);
    case Type::kFloat32:
      return copy(H5T_NATIVE_FLOAT);
    case Type::kFloat64:
      return copy(H5T_NATIVE_DOUBLE);
    case Type::kText:
      break;
  }
  return text_type();
}

Type stored_type(hid_t type) {
  const std::size_t size = ::H5Tget_size(type);
  const H5T_class_t kind = ::H5Tget_class(type);
  if (kind == H5T_STRING && ::H5Tis_variable_str(type) > 0) return Type::kText;
  if (kind == H5T_FLOAT && size == 4) return Type::kFloat32;
  if (kind == H5T_FLOAT && size == 8) return Type::kFloat64;
  if (kind == H5T_INTEGER) {
    const bool is_signed = ::H5Tget_sign(type) == H5T_SGN_2;
    switch (size) {
      case 1:
        return is_signed ? Type::kInt8 : Type::kUInt8;
      case 2:
        return is_signed ? Type::kInt16 : Type::kUInt16;
      case 4:
        return is_signed ? Type::kInt32 : Type::kUInt32;
      case 8:
        return is_signed ? Type::kInt64 : Type::kUInt64;
      default:
        break;
    }
  }
  throw StoreError("HDF5 holds an element type that kernelbatch never writes");
}

std::vector<hsize_t> extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

Handle space_of(const Shape& shape, bool growable = false) {
  if (shape.empty()) return own(::H5Screate(H5S_SCALAR), "create a scalar");
  const std::vector<hsize_t> now = extents(shape);
  std::vector<hsize_t> most = now;
  if (growable) most[0] = H5S_UNLIMITED;
  return own(::H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()),
             "create a shape");
}

std::size_t count_of(const Shape& shape) {
  return std::accumulate(
      shape.begin(), shape.end(), std::size_t{1},
      [](std::size_t n, std::int64_t k) { return n * static_cast<std::size_t>(k); });
}

std::vector<const char*> pointers(std::span<const std::string> texts) {
  std::vector<const char*> result(texts.size());
  std::ranges::transform(texts, result.begin(), [](const auto& text) { return text.c_str(); });
  return result;
}

/// Texts that HDF5 allocated; freed here.
class OwnedTexts {
 public:
  explicit OwnedTexts(std::size_t count) : texts_(count, nullptr) {}
  OwnedTexts(const OwnedTexts&) = delete;
  OwnedTexts& operator=(const OwnedTexts&) = delete;
  ~OwnedTexts() {
    for (char* text : texts_) ::H5free_memory(text);
  }
  char** data() { return texts_.data(); }
  std::vector<std::string> copy() const {
    std::vector<std::string> result;
    result.reserve(texts_.size());
    for (const char* text : texts_) result.emplace_back(text == nullptr ? "" : text);
    return result;
  }

 private:
  std::vector<char*> texts_;
};

void write_attribute(Id object, std::string_view name, const Handle& type, const Shape& shape,
                     const void* data) {
  const std::string text(name);
  const Handle space = space_of(shape);
  const Handle attribute =
      own(::H5Acreate2(object, text.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
          "create attribute", name);
  check(::H5Awrite(attribute.get(), type.get(), data), "write attribute", name);
}

Handle open_attribute(Id object, const std::string& name) {
  if (::H5Aexists(object, name.c_str()) <= 0) return {};
  return own(::H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute", name);
}

}  // namespace

void detail::close(Id id) noexcept { ::H5Idec_ref(id); }

std::size_t size_of(Type type) noexcept {
  switch (type) {
    case Type::kInt8:
    case Type::kUInt8:
      return 1;
    case Type::kInt16:
    case Type::kUInt16:
      return 2;
    case Type::kInt32:
    case Type::kUInt32:
    case Type::kFloat32:
      return 4;
    default:
      return 8;
  }
}

void Object::set(std::string_view name, std::string_view text) {
  const std::string copy(text);
  const char* pointer = copy.c_str();
  write_attribute(id(), name, text_type(), {}, &pointer);
}

void Object::set(std::string_view name, std::int64_t value) {
  write_attribute(id(), name, native_type(Type::kInt64), {}, &value);
}

void Object::set(std::string_view name, double value) {
  write_attribute(id(), name, native_type(Type::kFloat64), {}, &value);
}

void Object::set(std::string_view name, std::span<const std::int8_t> values) {
  write_attribute(id(), name, native_type(Type::kInt8), {static_cast<std::int64_t>(values.size())},
                  values.data());
}

std::optional<std::string> Object::text(std::string_view name) const {
  const Handle attribute = open_attribute(id(), std::string(name));
  if (!attribute) return std::nullopt;
  const Handle type = own(::H5Aget_type(attribute.get()), "read the type of attribute", name);
  if (::H5Tis_variable_str(type.get()) <= 0) return std::nullopt;
  OwnedTexts texts(1);
  check(::H5Aread(attribute.get(), text_type().get(), texts.data()), "read attribute", name);
  return texts.copy().front();
}

std::optional<std::int64_t> Object::integer(std::string_view name) const {
  const Handle attribute = open_attribute(id(), std::string(name));
  if (!attribute) return std::nullopt;
  std::int64_t value = 0;
  check(::H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "read attribute", name);
  return value;
}

Shape Dataset::shape() const {
  const Handle space = own(::H5Dget_space(id()), "read a shape");
  std::vector<hsize_t> now(
      static_cast<std::size_t>(check(::H5Sget_simple_extent_ndims(space.get()), "read a rank")));
  check(::H5Sget_simple_extent_dims(space.get(), now.data(), nullptr), "read a shape");
  return {now.begin(), now.end()};
}

Layout Dataset::layout() const {
  Layout result;
  result.shape = shape();
  result.type = stored_type(own(::H5Dget_type(id()), "read a type").get());
  const Handle list = own(::H5Dget_create_plist(id()), "read a layout");
  if (::H5Pget_layout(list.get()) != H5D_CHUNKED) return result;
  std::vector<hsize_t> chunk(result.shape.size());
  check(::H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "read a layout");
  result.chunk.assign(chunk.begin(), chunk.end());
  unsigned flags = 0, level = 0;
  std::size_t values = 1;
  if (::H5Pget_filter_by_id2(list.get(), H5Z_FILTER_DEFLATE, &flags, &values, &level, 0, nullptr,
                             nullptr) >= 0)
    result.deflate = static_cast<int>(level);
  values = 0;
  result.checksum = ::H5Pget_filter_by_id2(list.get(), H5Z_FILTER_FLETCHER32, &flags, &values,
                                           nullptr, 0, nullptr, nullptr) >= 0;
  return result;
}

namespace {

/// Chunks below this are HDF5's own business.
constexpr std::size_t kThreadedChunk = std::size_t{64} << 10;
/// Packed side by side before they are written: 64 MiB of chunks of 1 MiB.
constexpr std::size_t kChunksAtOnce = 64;

/// Is each chunk one run of the array in C order: single rows, part of an axis, whole axes?
bool are_runs(const Layout& layout) {
  std::size_t axis = 0;
  while (axis < layout.chunk.size() && layout.chunk[axis] == 1) ++axis;
  for (++axis; axis < layout.chunk.size(); ++axis)
    if (layout.chunk[axis] != layout.shape[axis]) return false;
  return true;
}

/// Moves to the next chunk in C order; false after the last.
bool next_chunk(const Layout& layout, std::vector<hsize_t>& offset) {
  for (std::size_t axis = offset.size(); axis-- > 0;) {
    offset[axis] += static_cast<hsize_t>(layout.chunk[axis]);
    if (offset[axis] < static_cast<hsize_t>(layout.shape[axis])) return true;
    offset[axis] = 0;
  }
  return false;
}

/// The array's bytes that belong to the chunk at `offset`: fewer than a chunk's at the edge.
std::span<const std::byte> run_at(const Layout& layout, const std::vector<hsize_t>& offset,
                                  std::span<const std::byte> bytes) {
  std::size_t start = 0, count = 1;
  for (std::size_t axis = 0; axis < offset.size(); ++axis) {
    const auto at = static_cast<std::size_t>(offset[axis]);
    const auto extent = static_cast<std::size_t>(layout.shape[axis]);
    start = start * extent + at;
    count *= std::min(static_cast<std::size_t>(layout.chunk[axis]), extent - at);
  }
  const std::size_t item = size_of(layout.type);
  return bytes.subspan(start * item, count * item);
}

}  // namespace

void Dataset::write(std::span<const std::byte> bytes) {
  const Layout now = layout();
  if (bytes.size() != count_of(now.shape) * size_of(now.type))
    throw StoreError(fmt::format("{} bytes were given for a dataset of {} elements of {} bytes",
                                 bytes.size(), count_of(now.shape), size_of(now.type)));
  if (bytes.empty()) return;
  if (count_of(now.chunk) * size_of(now.type) >= kThreadedChunk && are_runs(now))
    return write_chunks(now, bytes);
  const Handle type = native_type(now.type);
  check(::H5Dwrite(id(), type.get(), H5S_ALL, H5S_ALL, transfer(), bytes.data()), "write");
}

void Dataset::write_chunks(const Layout& layout, std::span<const std::byte> bytes) {
  const std::size_t item = size_of(layout.type);
  const std::size_t chunk_bytes = count_of(layout.chunk) * item;
  const ChunkFilters filters{item, layout.deflate, layout.checksum};
  std::vector<PackedChunk> packed(kChunksAtOnce);
  std::vector<std::vector<hsize_t>> offsets(kChunksAtOnce);
  std::vector<std::span<const std::byte>> elements(kChunksAtOnce);
  std::vector<hsize_t> offset(layout.shape.size(), 0);
  for (bool is_more = true; is_more;) {
    std::size_t count = 0;
    for (; is_more && count < kChunksAtOnce; ++count) {
      offsets[count] = offset;
      elements[count] = run_at(layout, offset, bytes);
      is_more = next_chunk(layout, offset);
    }
    parallel_for(static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
        packed[k] = pack_chunk(elements[k], chunk_bytes, filters);
    });
    for (std::size_t k = 0; k < count; ++k)
      check(::H5Dwrite_chunk(id(), H5P_DEFAULT, packed[k].skipped, offsets[k].data(),
                             packed[k].bytes.size(), packed[k].bytes.data()),
            "write a chunk");
  }
}

void Dataset::write(std::span<const std::string> texts) {
  if (texts.empty()) return;
  const std::vector<const char*> data = pointers(texts);
  check(::H5Dwrite(id(), text_type().get(), H5S_ALL, H5S_ALL, transfer(), data.data()),
        "write texts");
}

void Dataset::write_at_end(std::int64_t rows, const void* data) {
  const auto count = static_cast<hsize_t>(rows);
  const auto start = static_cast<hsize_t>(shape().at(0));
  const hsize_t total = start + count;
  check(::H5Dset_extent(id(), &total), "grow");
  const Handle target = own(::H5Dget_space(id()), "read a shape");
  check(::H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
        "select rows");
  const Handle source = space_of({rows});
  const Handle type = native_type(layout().type);
  check(::H5Dwrite(id(), type.get(), source.get(), target.get(), transfer(), data), "append");
}

void Dataset::append(std::span<const std::byte> bytes) {
  const std::size_t size = size_of(layout().type);
  if (!bytes.empty()) write_at_end(static_cast<std::int64_t>(bytes.size() / size), bytes.data());
}

void Dataset::append(std::span<const std::string> texts) {
  const std::vector<const char*> data = pointers(texts);
  if (!texts.empty()) write_at_end(static_cast<std::int64_t>(texts.size()), data.data());
}

std::vector<std::byte> Dataset::read() const {
  const Layout now = layout();
  std::vector<std::byte> bytes(count_of(now.shape) * size_of(now.type));
  if (bytes.empty()) return bytes;
  const Handle type = native_type(now.type);
  check(::H5Dread(id(), type.get(), H5S_ALL, H5S_ALL, transfer(), bytes.data()), "read");
  return bytes;
}

namespace {

void read_range(const Dataset& dataset, Type type, std::int64_t start, std::int64_t count,
                void* data) {
  const Handle source = own(::H5Dget_space(dataset.id()), "read a shape");
  const auto from = static_cast<hsize_t>(start);
  const auto rows = static_cast<hsize_t>(count);
  check(::H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &from, nullptr, &rows, nullptr),
        "select rows");
  const Handle target = space_of({count});
  check(::H5Dread(dataset.id(), native_type(type).get(), target.get(), source.get(), transfer(),
                  data),
        "read rows");
}

}  // namespace

void Dataset::read_rows(std::int64_t start, std::int64_t count, std::span<std::byte> bytes) const {
  const Type type = layout().type;
  if (bytes.size() != static_cast<std::size_t>(count) * size_of(type))
    throw StoreError("HDF5 holds a column of another type than expected");
  if (count > 0) read_range(*this, type, start, count, bytes.data());
}

std::vector<std::string> Dataset::read_text_rows(std::int64_t start, std::int64_t count) const {
  OwnedTexts texts(static_cast<std::size_t>(count));
  if (count > 0) read_range(*this, Type::kText, start, count, texts.data());
  return texts.copy();
}

std::string Dataset::read_text() const {
  OwnedTexts texts(1);
  check(::H5Dread(id(), text_type().get(), H5S_ALL, H5S_ALL, transfer(), texts.data()),
        "read text");
  return texts.copy().front();
}

void Dataset::make_scale(std::string_view name) {
  check(::H5DSset_scale(id(), std::string(name).c_str()), "make a dimension scale of", name);
}

void Dataset::attach_scale(const Dataset& scale, unsigned axis) {
  check(::H5DSattach_scale(id(), scale.id(), axis), "attach a dimension scale");
}

void Dataset::copy_from(const Dataset& source) {
  const Layout from = source.layout();
  if (from.chunk.empty()) return write(source.read());
  if (count_of(from.shape) == 0) return;
  std::vector<hsize_t> offset(from.shape.size(), 0);
  std::vector<std::byte> chunk;
  for (;;) {
    hsize_t bytes = 0;
    check(::H5Dget_chunk_storage_size(source.id(), offset.data(), &bytes), "find a chunk");
    chunk.resize(bytes);
    std::uint32_t filters = 0;
    check(::H5Dread_chunk(source.id(), H5P_DEFAULT, offset.data(), &filters, chunk.data()),
          "read a chunk");
    check(::H5Dwrite_chunk(id(), H5P_DEFAULT, filters, offset.data(), chunk.size(), chunk.data()),
          "write a chunk");
    if (!next_chunk(from, offset)) return;
  }
}

Group Group::create_group(std::string_view name) {
  const Handle creation = ordered(H5P_GROUP_CREATE);
  return Group(
      own(::H5Gcreate2(id(), std::string(name).c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
          "create group", name));
}

Dataset Group::create_dataset(std::string_view name, const Layout& layout) {
  const Handle list = property_list(H5P_DATASET_CREATE);
  // The times of objects would make two equal files differ.
  check(::H5Pset_obj_track_times(list.get(), false), "set a layout");
  if (!layout.chunk.empty()) {
    const std::vector<hsize_t> chunk = extents(layout.chunk);
    check(::H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "set chunks");
    if (layout.deflate > 0) {
      check(::H5Pset_shuffle(list.get()), "set shuffle");
      check(::H5Pset_deflate(list.get(), static_cast<unsigned>(layout.deflate)), "set deflate");
    }
    if (layout.checksum) check(::H5Pset_fletcher32(list.get()), "set a checksum");
  }
  const Handle space = space_of(layout.shape, layout.growable);
  return Dataset(own(::H5Dcreate2(id(), std::string(name).c_str(), native_type(layout.type).get(),
                                  space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                     "create dataset", name));
}

void Group::write_table(std::string_view name, std::span<const Member> members,
                        std::span<const std::byte> rows) {
  std::size_t size = 0;
  for (const Member& member : members) size += member.size();
  const Handle row = own(::H5Tcreate(H5T_COMPOUND, size), "create the type of table", name);
  std::size_t offset = 0;
  for (const Member& member : members) {
    Handle type = native_type(member.type);
    if (member.type == Type::kText) {
      type = own(::H5Tcopy(H5T_C_S1), "copy a type");
      check(::H5Tset_size(type.get(), member.text_bytes), "size a text");
    }
    check(::H5Tinsert(row.get(), member.name.c_str(), offset, type.get()), "add member",
          member.name);
    offset += member.size();
  }
  const auto count = static_cast<std::int64_t>(rows.size() / size);
  const Handle list = property_list(H5P_DATASET_CREATE);
  const hsize_t chunk = static_cast<hsize_t>(std::clamp<std::int64_t>(count, 1, 1024));
  check(::H5Pset_chunk(list.get(), 1, &chunk), "set chunks");
  check(::H5Pset_deflate(list.get(), 1), "set deflate");
  Dataset table(
      own(::H5Dcreate2(id(), std::string(name).c_str(), row.get(), space_of({count}, true).get(),
                       H5P_DEFAULT, list.get(), H5P_DEFAULT),
          "create table", name));
  if (count > 0)
    check(::H5Dwrite(table.id(), row.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
          "write table", name);
}

Group Group::group(std::string_view path) const {
  return Group(own(::H5Gopen2(id(), std::string(path).c_str(), H5P_DEFAULT), "open group", path));
}

Dataset Group::dataset(std::string_view path) const {
  return Dataset(
      own(::H5Dopen2(id(), std::string(path).c_str(), H5P_DEFAULT), "open dataset", path));
}

bool Group::has(std::string_view path) const {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    if (::H5Lexists(id(), std::string(path.substr(0, end)).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

std::vector<std::string> Group::names() const {
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> result;
  check(::H5Literate(id(), H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, keep, &result),
        "list a group");
  return result;
}

namespace {

/// HDF5 takes two files in memory of the same name for one.
std::string name_in_memory() {
  static std::atomic<unsigned> counter{0};
  return fmt::format("memory {}", counter++);
}

}  // namespace

File File::create(const std::filesystem::path& path) {
  return File(create_file(path.string(), access_list()));
}

File File::create_in_memory() {
  const Handle access = access_list();
  check(::H5Pset_fapl_core(access.get(), kMemoryGrowth, false), "keep a file in memory");
  return File(create_file(name_in_memory(), access));
}

File File::open(const std::filesystem::path& path) {
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

void File::close() {
  check(::H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), "flush");
  check(::H5Fclose(handle_.release()), "close");
}

bool is_hdf5(const std::filesystem::path& path) noexcept {
  be_quiet();
  return ::H5Fis_hdf5(path.c_str()) > 0;
}

}  // namespace kernelbatch::h5
