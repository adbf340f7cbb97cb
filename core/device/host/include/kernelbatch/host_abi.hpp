// What a kernel compiled for the host and the host device agree on. Included by both sides: no
// standard header, plain data only.
#pragma once

namespace kernelbatch_host {

struct Index3 {
  unsigned x, y, z;
};

struct ThreadState;

/// What the 32 lanes of a warp brought to one warp operation.
struct WarpValues {
  const unsigned long long* value;  ///< 32 values, one per lane
  unsigned arrived;                 ///< lanes that took part
};

enum BarrierKind { kBarrierPlain = 0, kBarrierCount = 1, kBarrierAnd = 2, kBarrierOr = 3 };

/// Operations that need the other threads of the block.
struct Operations {
  int (*barrier)(int kind, int predicate);
  WarpValues (*warp_exchange)(unsigned mask, unsigned long long value);
  unsigned (*active_mask)();
  /// Lets the other threads of the block go on; for loops that wait for what one of them writes.
  void (*yield)();
};

/// What the running thread of a block sees.
struct ThreadState {
  Index3 thread_index, block_index, block_dim, grid_dim;
  unsigned linear_thread;  ///< thread's number within its block
  void* dynamic_shared;
  const Operations* operations;
};

}  // namespace kernelbatch_host

/// Set by the host device around every block. Initial-exec: one load instead of a call.
extern "C" __thread kernelbatch_host::ThreadState* kernelbatch_host_thread
    __attribute__((tls_model("initial-exec")));
