// One block of a grid on one CPU thread: its threads run one after the other as a plain loop, and
// only a thread that waits (barrier, warp operation) gets its own stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/host/block_group.hpp"
#include "core/device/host/child_launches.hpp"

namespace kernelbatch::host {

class Checker;

/// A kernel compiled for the host: reads its arguments through pointers to them.
using Entry = void (*)(void* const* arguments);

/// Execution order of a block's threads: a result that depends on it is a race. In reverse order
/// each block also finds its static shared memory filled with a poison pattern.
enum class ThreadOrder : std::uint8_t { kForward, kReverse };

/// A block's connections to other blocks.
struct BlockContext {
  BlockGroup* cluster = nullptr;  ///< null: no other block in its cluster
  BlockGroup* grid = nullptr;     ///< null: the grid is not cooperative or has one block
  unsigned cluster_rank = 0, grid_rank = 0;
  ChildLaunches* children = nullptr;  ///< receives its launches; null: it cannot launch
  Checker* checker = nullptr;         ///< null: nothing is checked
};

/// Runs blocks on the calling CPU thread. Not shared between CPU threads; reuses its stacks from
/// block to block.
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Runs all threads of one block to their end. Throws RunError for a deadlock, with block, thread
  /// and the number of threads waiting at each kind of barrier.
  void run(Entry entry, void* const* arguments, const LaunchShape& shape, const Dim3& block,
           ThreadOrder order, const BlockContext& around);

  class Block;  ///< the running block; private to the host device's sources

 private:
  std::unique_ptr<Block> block_;
};

}  // namespace kernelbatch::host
