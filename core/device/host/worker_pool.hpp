// Running a grid on the CPU's cores.
#pragma once

#include <memory>

#include "core/device/device.hpp"
#include "core/device/host/simt.hpp"

namespace kernelbatch::host {

/// Threads that run the blocks of one launch at a time, and sleep between launches.
class WorkerPool {
 public:
  /// With a checker, which outlives the pool, blocks run one after the other.
  explicit WorkerPool(int threads, Checker* checker = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs every block of the grid; the caller works too. Rethrows the first RunError of a block.
  void run(Entry entry, void* const* arguments, const LaunchShape& shape);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Cores that this process may use (its affinity mask), or KERNELBATCH_THREADS if set.
int usable_cores();

}  // namespace kernelbatch::host
