// HDF5's filters for one chunk, outside HDF5, so that several threads can run them: shuffle,
// deflate, fletcher32, in the order set by H5Pset_*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernelbatch {

/// Filters of a chunk. Shuffle is used with deflate.
struct ChunkFilters {
  std::size_t item_bytes = 1;  ///< of one element
  int deflate = 0;             ///< 0: none; 1 to 9 as zlib counts
  bool checksum = false;       ///< fletcher32
};

/// A chunk as stored in the file.
struct PackedChunk {
  std::vector<std::byte> bytes;
  std::uint32_t skipped = 0;  ///< HDF5's filter mask: bit k set: the k-th filter was left out
};

/// `elements` padded with zeros to `chunk_bytes`, then filtered. Deflate is omitted if it would not
/// make the chunk smaller. Thread-safe.
PackedChunk pack_chunk(std::span<const std::byte> elements, std::size_t chunk_bytes,
                       const ChunkFilters& filters);

/// First bytes of all elements, then second bytes, …
std::vector<std::byte> shuffle(std::span<const std::byte> bytes, std::size_t item_bytes);

/// HDF5's variant of Fletcher's checksum: over big-endian 16-bit words.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

}  // namespace kernelbatch
