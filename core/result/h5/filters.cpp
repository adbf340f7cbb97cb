#include "core/result/h5/filters.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/error.hpp"

#ifdef KERNELBATCH_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif

namespace kernelbatch {
namespace {

/// Position of deflate in the pipeline shuffle, deflate, fletcher32.
constexpr std::uint32_t kDeflateBit = 1u << 1;

#ifdef KERNELBATCH_HAS_ISAL
/// ISA-L's highest level corresponds to zlib's middle ones; higher levels use zlib.
constexpr int kLargestFastLevel = 5;

/// Several times as fast as zlib, in zlib's format.
std::optional<std::size_t> deflate_fast(std::span<const std::byte> from, std::span<std::byte> to,
                                        int level) {
  std::vector<std::uint8_t> work(ISAL_DEF_LVL2_DEFAULT);
  isal_zstream stream;
  ::isal_deflate_init(&stream);
  stream.level = level <= 2 ? 1 : 2;
  stream.level_buf = work.data();
  stream.level_buf_size = static_cast<std::uint32_t>(work.size());
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  // ISA-L only reads what it compresses; its field lacks the const.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(from.data()));
  stream.avail_in = static_cast<std::uint32_t>(from.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(to.data());
  stream.avail_out = static_cast<std::uint32_t>(to.size());
  if (::isal_deflate(&stream) != COMP_OK || stream.internal_state.state != ZSTATE_END)
    return std::nullopt;
  return stream.total_out;
}
#endif

/// Bytes written to `to`; std::nullopt if they do not fit.
std::optional<std::size_t> deflate_into(std::span<const std::byte> from, std::span<std::byte> to,
                                        int level) {
#ifdef KERNELBATCH_HAS_ISAL
  if (level <= kLargestFastLevel) return deflate_fast(from, to, level);
#endif
  auto written = static_cast<uLongf>(to.size());
  const int status = ::compress2(reinterpret_cast<Bytef*>(to.data()), &written,
                                 reinterpret_cast<const Bytef*>(from.data()), from.size(), level);
  if (status == Z_BUF_ERROR) return std::nullopt;
  if (status != Z_OK) throw StoreError(fmt::format("zlib cannot compress: status {}", status));
  return written;
}

}  // namespace

std::vector<std::byte> shuffle(std::span<const std::byte> bytes, std::size_t item_bytes) {
  const std::size_t count = bytes.size() / item_bytes;
  std::vector<std::byte> result(bytes.size());
  // Processes blocks of elements that stay in the cache for all of their bytes.
  constexpr std::size_t kBlock = 2048;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(count, begin + kBlock);
    for (std::size_t part = 0; part < item_bytes; ++part) {
      std::byte* to = result.data() + part * count;
      const std::byte* from = bytes.data() + part;
      for (std::size_t k = begin; k < end; ++k) to[k] = from[k * item_bytes];
    }
  }
  const std::size_t whole = count * item_bytes;
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end(),
            result.begin() + static_cast<std::ptrdiff_t>(whole));
  return result;
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
  const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(bytes[k]); };
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  // Largest number of words whose sums fit into 32 bits.
  constexpr std::size_t kWords = 360;
  std::uint32_t first = 0, second = 0;
  const std::size_t words = bytes.size() / 2;
  for (std::size_t begin = 0; begin < words; begin += kWords) {
    const std::size_t end = std::min(words, begin + kWords);
    for (std::size_t k = begin; k < end; ++k) {
      first += at(2 * k) << 8 | at(2 * k + 1);
      second += first;
    }
    first = fold(first);
    second = fold(second);
  }
  if (bytes.size() % 2 != 0) {
    first = fold(first + (at(bytes.size() - 1) << 8));
    second = fold(second + first);
  }
  return fold(second) << 16 | fold(first);
}

PackedChunk pack_chunk(std::span<const std::byte> elements, std::size_t chunk_bytes,
                       const ChunkFilters& filters) {
  PackedChunk packed;
  packed.bytes.reserve(chunk_bytes + sizeof(std::uint32_t));
  packed.bytes.assign(elements.begin(), elements.end());
  packed.bytes.resize(chunk_bytes);
  if (filters.deflate > 0) {
    packed.bytes = shuffle(packed.bytes, filters.item_bytes);
    std::vector<std::byte> smaller(chunk_bytes);
    if (const auto size = deflate_into(packed.bytes, smaller, filters.deflate)) {
      smaller.resize(*size);
      packed.bytes = std::move(smaller);
    } else {
      packed.skipped = kDeflateBit;
    }
  }
  if (filters.checksum) {
    const std::uint32_t sum = fletcher32(packed.bytes);
    for (int shift = 0; shift < 32; shift += 8)  // little-endian in the file
      packed.bytes.push_back(static_cast<std::byte>(sum >> shift & 0xff));
  }
  return packed;
}

}  // namespace kernelbatch
