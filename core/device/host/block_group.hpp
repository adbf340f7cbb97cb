// Blocks that run at once and may wait for each other: those of a cluster, or of a cooperative
// grid.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace kernelbatch::host {

/// Each block runs on its own CPU thread, which calls these functions. A group can be reused for
/// one set of blocks after another.
class BlockGroup {
 public:
  explicit BlockGroup(unsigned blocks) : dynamic_(blocks), static_(blocks), blocks_(blocks) {}

  /// Begins a block with this shared memory. Returns when all blocks of the group have begun, and
  /// therefore all of the previous set have ended.
  void begin(unsigned rank, std::span<std::byte> dynamic_shared,
             std::span<std::byte> static_shared);
  /// The block has ended: others no longer wait for it.
  void leave();
  /// A block has failed: blocks that wait for it give up. The group cannot be used any more.
  void abandon();

  /// The block has reached the barrier. Returns the phase to wait for.
  std::uint64_t arrive();
  /// Waits until all blocks have arrived. Returns false if a block has failed.
  bool wait(std::uint64_t phase);

  /// The address in block `to`'s shared memory that corresponds to `mine` in block `from`'s. Null
  /// for an address outside.
  void* shared_of(unsigned from, unsigned to, const void* mine) const;

 private:
  void pass_if_complete();

  std::vector<std::span<std::byte>> dynamic_, static_;
  unsigned blocks_ = 0;
  std::mutex mutex_;
  std::condition_variable passed_;
  unsigned begun_ = 0, living_ = 0, arrived_ = 0;
  std::uint64_t set_ = 0, phase_ = 0;
  bool is_abandoned_ = false;
};

}  // namespace kernelbatch::host
