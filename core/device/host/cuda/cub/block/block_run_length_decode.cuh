// CUB's decoding of run lengths by a block on the host device.
#pragma once

#include "cub/util_ptx.cuh"

namespace cub {

template <class Item, int BlockDimX, int RunsPerThread, int DecodedPerThread,
          class DecodedOffset = unsigned, int BlockDimY = 1, int BlockDimZ = 1>
class BlockRunLengthDecode {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  static constexpr int kRuns = kThreads * RunsPerThread;
  struct Room {
    detail::Values<Item, kRuns> item;
    DecodedOffset offset[kRuns];
    DecodedOffset total;
  };

 public:
  using TempStorage = Uninitialized<Room>;
  template <class Length, class Total>
  BlockRunLengthDecode(TempStorage& storage, Item (&items)[RunsPerThread],
                       Length (&lengths)[RunsPerThread], Total& total)
      : room_(storage.Alias()) {
    from_lengths(items, lengths, total);
  }
  template <class Offset>
  BlockRunLengthDecode(TempStorage& storage, Item (&items)[RunsPerThread],
                       Offset (&offsets)[RunsPerThread])
      : room_(storage.Alias()) {
    from_offsets(items, offsets);
  }
  template <class Length, class Total>
  BlockRunLengthDecode(Item (&items)[RunsPerThread], Length (&lengths)[RunsPerThread], Total& total)
      : room_(detail::own_storage<Room>()) {
    from_lengths(items, lengths, total);
  }
  template <class Offset>
  BlockRunLengthDecode(Item (&items)[RunsPerThread], Offset (&offsets)[RunsPerThread])
      : room_(detail::own_storage<Room>()) {
    from_offsets(items, offsets);
  }

  void RunLengthDecode(Item (&decoded)[DecodedPerThread], DecodedOffset from = 0) {
    DecodedOffset place[DecodedPerThread];
    RunLengthDecode(decoded, place, from);
  }
  /// Also each item's place within its run.
  template <class Relative>
  void RunLengthDecode(Item (&decoded)[DecodedPerThread], Relative (&place)[DecodedPerThread],
                       DecodedOffset from = 0) {
    for (int k = 0; k < DecodedPerThread; ++k) {
      const DecodedOffset at = DecodedOffset(from + detail::thread() * DecodedPerThread + k);
      int low = 0, high = kRuns;  // the last run that begins at or before it
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        (room_.offset[middle] <= at ? low : high) = middle;
      }
      decoded[k] = room_.item[low];
      place[k] = Relative(at - room_.offset[low]);
    }
  }

 private:
  template <class Offset>
  void from_offsets(Item (&items)[RunsPerThread], Offset (&offsets)[RunsPerThread]) {
    for (int k = 0; k < RunsPerThread; ++k) {
      room_.item[detail::thread() * RunsPerThread + k] = items[k];
      room_.offset[detail::thread() * RunsPerThread + k] = DecodedOffset(offsets[k]);
    }
    __syncthreads();
  }
  template <class Length, class Total>
  void from_lengths(Item (&items)[RunsPerThread], Length (&lengths)[RunsPerThread], Total& total) {
    from_offsets(items, lengths);
    if (detail::thread() == 0) {
      DecodedOffset sum = 0;
      for (DecodedOffset& offset : room_.offset) {
        const DecodedOffset length = offset;
        offset = sum;
        sum = DecodedOffset(sum + length);
      }
      room_.total = sum;
    }
    __syncthreads();
    total = Total(room_.total);
  }
  Room& room_;
};

}  // namespace cub
