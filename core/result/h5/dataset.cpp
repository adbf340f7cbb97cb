// Arrays in a file: shape and layout, rows, texts, scales.
#include <hdf5_hl.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/result/h5/detail.hpp"

namespace kernelbatch::h5 {

using detail::check;
using detail::count_of;
using detail::native_type;
using detail::own;
using detail::OwnedTexts;
using detail::pointers;
using detail::space_of;
using detail::transfer;
using detail::type_of;

namespace {

/// Unwritten elements take no space in a file: arrays up to this size are accepted without stored
/// elements.
constexpr std::uint64_t kUnstoredBytes = std::uint64_t{256} << 20;
/// The same limit for rows of results, which are always written.
constexpr std::uint64_t kUnstoredRowBytes = std::uint64_t{64} << 10;

}  // namespace

Shape Dataset::shape() const {
  const Handle space = own(::H5Dget_space(id()), "read a shape");
  std::vector<hsize_t> now(
      static_cast<std::size_t>(check(::H5Sget_simple_extent_ndims(space.get()), "read a rank")));
  check(::H5Sget_simple_extent_dims(space.get(), now.data(), nullptr), "read a shape");
  return {now.begin(), now.end()};
}

namespace {

Layout layout_of(const Dataset& dataset) {
  Layout result;
  result.shape = dataset.shape();
  result.type = type_of(own(::H5Dget_type(dataset.id()), "read a type").get());
  const Handle list = own(::H5Dget_create_plist(dataset.id()), "read a layout");
  if (::H5Pget_layout(list.get()) == H5D_VIRTUAL || ::H5Pget_external_count(list.get()) > 0)
    throw StoreError("HDF5 holds an array with elements in other files, which are not read");
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

}  // namespace

const Layout& Dataset::layout() const {
  if (!layout_) layout_ = layout_of(*this);
  return *layout_;
}

void Dataset::write(std::span<const std::string> texts) {
  if (texts.empty()) return;
  const std::vector<const char*> data = pointers(texts);
  check(::H5Dwrite(id(), native_type(Type::kText), H5S_ALL, H5S_ALL, transfer(), data.data()),
        "write texts");
}

void Dataset::write_at_end(std::int64_t rows, const void* data) {
  const auto count = static_cast<hsize_t>(rows);
  const auto start = static_cast<hsize_t>(shape().at(0));
  const hsize_t total = start + count;
  const hid_t type = native_type(layout().type);
  check(::H5Dset_extent(id(), &total), "grow");
  layout_->shape = {static_cast<std::int64_t>(total)};
  const Handle target = own(::H5Dget_space(id()), "read a shape");
  check(::H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
        "select rows");
  const Handle source = space_of({rows});
  check(::H5Dwrite(id(), type, source.get(), target.get(), transfer(), data), "append");
}

void Dataset::append(std::span<const std::byte> bytes) {
  const std::size_t size = size_of(layout().type);
  if (!bytes.empty()) write_at_end(static_cast<std::int64_t>(bytes.size() / size), bytes.data());
}

void Dataset::append(std::span<const std::string> texts) {
  const std::vector<const char*> data = pointers(texts);
  if (!texts.empty()) write_at_end(static_cast<std::int64_t>(texts.size()), data.data());
}

void Dataset::require_stored(std::uint64_t slack) const {
  // Deflate compresses by a factor of about a thousand at best.
  constexpr std::uint64_t kBestRatio = 1100;
  const std::uint64_t stored = ::H5Dget_storage_size(id());
  const Handle type = own(::H5Dget_type(id()), "read a type");
  std::uint64_t most =
      stored > (UINT64_MAX - slack) / kBestRatio ? UINT64_MAX : stored * kBestRatio + slack;
  most /= std::max<std::uint64_t>(::H5Tget_size(type.get()), 1);
  for (const std::int64_t extent : shape()) {
    const auto count = static_cast<std::uint64_t>(extent);
    if (count == 0) return;
    most /= count;
  }
  if (most == 0)
    throw StoreError("HDF5 holds an array that claims far more elements than its file stores");
}

std::vector<std::byte> Dataset::read() const {
  const Layout& now = layout();
  require_stored(kUnstoredBytes);
  std::vector<std::byte> bytes(count_of(now.shape) * size_of(now.type));
  if (bytes.empty()) return bytes;
  const hid_t type = native_type(now.type);
  check(::H5Dread(id(), type, H5S_ALL, H5S_ALL, transfer(), bytes.data()), "read");
  return bytes;
}

namespace {

void read_range(const Dataset& dataset, Type type, std::int64_t start, std::int64_t count,
                void* data) {
  // Selecting along one axis would select whole rows of several.
  if (dataset.shape().size() != 1)
    throw StoreError("HDF5 holds a column that is not one-dimensional");
  const Handle source = own(::H5Dget_space(dataset.id()), "read a shape");
  const auto from = static_cast<hsize_t>(start);
  const auto rows = static_cast<hsize_t>(count);
  check(::H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &from, nullptr, &rows, nullptr),
        "select rows");
  const Handle target = space_of({count});
  check(::H5Dread(dataset.id(), native_type(type), target.get(), source.get(), transfer(), data),
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

std::int64_t Dataset::rows() const {
  const Shape now = shape();
  if (now.size() != 1) throw StoreError("HDF5 holds a column that is not one-dimensional");
  require_stored(kUnstoredRowBytes);
  return now[0];
}

std::string Dataset::read_text() const {
  if (count_of(shape()) != 1 || layout().type != Type::kText)
    throw StoreError("HDF5 holds something other than the expected single text");
  OwnedTexts texts(1);
  check(::H5Dread(id(), native_type(Type::kText), H5S_ALL, H5S_ALL, transfer(), texts.data()),
        "read text");
  return texts.copy().front();
}

void Dataset::make_scale(std::string_view name) {
  check(::H5DSset_scale(id(), std::string(name).c_str()), "make a dimension scale of", name);
}

void Dataset::attach_scale(const Dataset& scale, unsigned axis) {
  check(::H5DSattach_scale(id(), scale.id(), axis), "attach a dimension scale");
}

}  // namespace kernelbatch::h5
