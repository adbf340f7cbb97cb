// Large arrays: chunks are packed by threads and copied between files unchanged.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/result/h5/detail.hpp"
#include "core/result/h5/filters.hpp"

namespace kernelbatch::h5 {

using detail::check;
using detail::count_of;
using detail::native_type;
using detail::own;
using detail::transfer;

namespace {

/// Smaller chunks are left to HDF5.
constexpr std::size_t kThreadedChunk = std::size_t{64} << 10;
/// Chunks packed in parallel before they are written: 64 MiB of chunks of 1 MiB.
constexpr std::size_t kChunksAtOnce = 64;

/// True if each chunk is contiguous in the array in C order: single rows, part of an axis, whole
/// axes.
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

/// The array's bytes in the chunk at `offset`: fewer than a chunk's at the edge.
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
  const Layout& now = layout();
  if (bytes.size() != count_of(now.shape) * size_of(now.type))
    throw StoreError(fmt::format("{} bytes were given for a dataset of {} elements of {} bytes",
                                 bytes.size(), count_of(now.shape), size_of(now.type)));
  if (bytes.empty()) return;
  if (count_of(now.chunk) * size_of(now.type) >= kThreadedChunk && are_runs(now))
    return write_chunks(now, bytes);
  const hid_t type = native_type(now.type);
  check(::H5Dwrite(id(), type, H5S_ALL, H5S_ALL, transfer(), bytes.data()), "write");
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

void Dataset::copy_from(const Dataset& source) {
  const Layout& from = source.layout();
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

}  // namespace kernelbatch::h5
