// Numbers of the schedules of row-wise expressions on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelbatch {

/// Tuned on an H200 and an H100 with softmax, layer norm and other row operations on 1e7 to 1e8
/// elements.
struct RowsTuning {
  /// Bytes that a thread keeps in registers: the usual limit while there are enough threads, and
  /// the maximum.
  int bytes = 64, most_bytes = 128;
  int bytes_for_rows = 128;          ///< usual limit if nothing follows the reductions
  int bytes_of_short_float64 = 128;  ///< usual limit for short rows of float64
  std::int64_t short_float64 = 256;  ///< elements of such a row, at most
  int chunk_bytes = 64;              ///< at a time, of a row that does not fit into registers
  int block = 256;                   ///< threads, if a row has few
  int small_block = 64;              ///< threads, of warps that have whole rows
  std::int64_t bytes_of_small_block = 2048;  ///< that it reads, at least, if it writes as many
  int warp = 32, two_warps = 64;             ///< threads
  int packs_of_two_warps = 12;               ///< of a thread that keeps pairs of float64
  int rows_for_two_warps = 16;               ///< of a unit, at least
  std::int64_t bytes_of_one_warp = 1700;     ///< of a row of a warp, which has its own block
  int narrow_packs = 5;  ///< of less than 16 bytes, up to which a lane of a line has them
  int long_row = 512;    ///< threads of a row, before a thread keeps more bytes
  int most_threads = 1024;
  int bytes_of_long_row = 144;     ///< of a thread in one block of long_row threads
  int elements_of_one_block = 64;  ///< of 16 bits, of a thread in one block of most_threads
  int most_elements = 32;          ///< of a thread: each needs registers while it is computed
  int most_in_packs = 48;          ///< the same in packs of 8 bytes, or without results for each
  int spilling_elements = 40;      ///< of a thread of a small block that fetches ahead
  int least_lanes = 16;            ///< of a row read by elements, of 16 bits or if it is long
  int elements_of_warp = 20;       ///< single ones of a thread, up to which blocks are large
  /// Elements of a row of float64 whose exponentials are computed singly.
  std::int64_t least_single_exponentials = 64, most_single_exponentials = 2048;
  constexpr bool has_single_exponentials(std::int64_t length) const {
    return length >= least_single_exponentials && length <= most_single_exponentials;
  }
  int sector = 32;                       ///< bytes that the memory reads at once
  int lanes_of_a_line = 8;               ///< whose packs of 16 bytes are a cache line
  int close_rows = 32;                   ///< neighbouring rows of a block
  int staged_block = 128;                ///< threads
  int single_elements = 27;              ///< of less than 4 bytes that a thread keeps
  int shifted_bytes = 8;                 ///< of a pack at an aligned address, if a block has a row
  std::size_t other_shared = 4096;       ///< bytes that joins may take
  int staged_words = 48;                 ///< registers of a thread
  std::int64_t staged_length = 64;       ///< elements of a row, at most
  std::int64_t staged_row = 272;         ///< bytes of a row in packs of 4 or 16 bytes, at most
  std::int64_t staged_odd_row = 880;     ///< of a row in packs of 2 bytes
  std::int64_t staged_by_one_lane = 44;  ///< registers of a thread that has a row, at most
  /// Registers of a thread that reads packs of 16 bytes, of elements of up to 4 bytes and of 8.
  int staged_words_of_packs = 24, staged_words_of_float64 = 28;
  /// Share of lanes without packs, from which half of the lanes are better, and rows in packs of 16
  /// bytes are staged.
  double idle_share = 0.1, staged_idle_share = 0.05;
  double idle_gain = 0.05;                ///< that pays for packs of half the size
  std::int64_t known_length = 512;        ///< elements of rows whose text has their number, at most
  std::int64_t staged_memory = 40 << 10;  ///< bytes, at most
};
inline constexpr RowsTuning kTuning;

}  // namespace kernelbatch
