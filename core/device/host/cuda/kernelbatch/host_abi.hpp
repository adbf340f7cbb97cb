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

/// What an access does, under checks.
enum AccessFlag : unsigned {
  kAccessReads = 1,
  kAccessWrites = 2,
  kAccessAtomic = 4,
  kAccessVolatile = 8,
  kAccessAcquires = 16,
  kAccessReleases = 32,
  kAccessBlockScope = 64,  ///< atomic for the threads of its block alone
  kAccessAnyPlace = 128,   ///< may lie at any address, as memcpy's
  kAccessGuess = 256,      ///< before an atomic operation: reported only if outside arrays
};

/// Where a kernel tells what it does, if it was compiled for that (host_checks.hpp). `place` is an
/// address in its code.
struct CheckOperations {
  void (*access)(const void* address, unsigned long bytes, unsigned flags, const void* place);
  void (*fence)(bool is_block_scope);
  /// A function begins, called from there; the last one that began ends.
  void (*enter)(const void* caller);
  void (*leave)();
  void (*index_outside)(long long index, const void* place);
  void (*misaligned)(const void* address, unsigned long alignment, const void* place);
  /// A register is read before the wait for the product of a warp group that it gets.
  void (*product_in_flight)(const void* place);
  /// A barrier of ours in the kernel's code: a thread has come there; it goes on.
  void (*arrive)(const void* barrier, unsigned round);
  void (*go_on)(const void* barrier, unsigned round);
};

/// Each has groups of its own: cp.async, cp.async.bulk, and wgmma, which only reads its source.
enum CopyKind { kCopySmall = 0, kCopyBulk = 1, kCopyProduct = 2 };

/// An asynchronous copy: `copied` of its `bytes` come from the source, the others are zero. Without
/// a barrier it belongs to the thread's next group.
struct AsyncCopy {
  void* to = nullptr;
  const void* from = nullptr;
  unsigned long bytes = 0, copied = 0;
  unsigned alignment = 1;   ///< of both addresses
  int kind = kCopySmall;
  void* barrier = nullptr;  ///< the copy is complete for threads that have waited there; of a bulk
                            ///< copy an mbarrier, whose bytes it completes
  unsigned round = 0;       ///< of a barrier that is no mbarrier
};

/// A tensor map of the host device: the 128 bytes of a CUtensorMap. Axes are innermost first.
struct TensorMap {
  unsigned long long mark;  ///< kTensorMapMark, so that maps of the driver are recognized
  char* address;
  unsigned long long extents[5];
  unsigned long long strides[4];  ///< bytes; of axes 1 to 4
  unsigned short box[5];
  unsigned char element_strides[5];
  unsigned char axes, type;          ///< a TensorType
  unsigned char swizzle, atom;       ///< 0 to 3: none, spans of 32, 64, 128 bytes; PTX's atomicity
  unsigned char fills_nan, is_interleaved;
};
inline constexpr unsigned long long kTensorMapMark = 0x70614d726f736e54;

enum TensorAction {
  kTensorLoad,   ///< from global to shared memory
  kTensorStore,  ///< the other direction, as reductions
  kTensorAdd,
  kTensorMin,
  kTensorMax,
  kTensorInc,
  kTensorDec,
  kTensorAnd,
  kTensorOr,
  kTensorXor
};

/// An asynchronous copy of a tensor's box; barriers are as in AsyncCopy.
struct TensorCopy {
  const void* map;  ///< a TensorMap
  void* place;
  int at[5];  ///< coordinates of the box's first element, innermost first
  int axes;   ///< of the instruction
  int action;
  int kind;
  void* barrier;
  unsigned round;
};

enum MbarrierAction {
  kMbarrierInit,
  kMbarrierArrive,
  kMbarrierDrop,       ///< an arrival, which later phases do not expect
  kMbarrierExpect,     ///< bytes of copies
  kMbarrierComplete,   ///< bytes of copies
  kMbarrierTest,       ///< 1 if the phase of a state has passed
  kMbarrierTestParity  ///< 1 if the phase with a parity has passed
};

/// Operations that need the other threads of the block.
struct Operations {
  int (*barrier)(int kind, int predicate);
  WarpValues (*warp_exchange)(unsigned mask, unsigned long long value);
  unsigned (*active_mask)();
  /// Lets the other threads of the block go on; for loops that wait for what one of them writes.
  void (*yield)();
  /// A barrier of a cluster's blocks or of a grid's, in two parts: a thread has come; it waits for
  /// all others.
  void (*spread_arrive)(int scope);
  void (*spread_wait)(int scope);
  /// What is at `mine`, in the shared memory of another block of the cluster; null outside of it.
  void* (*spread_shared)(const void* mine, unsigned rank);
  /// One of the barriers 1 to 15: `count` threads come to it (0: all of the block), and some wait.
  void (*named_barrier)(unsigned number, unsigned count, bool waits);
  /// A grid to run after this one: `call` with `closure` as its one argument, for every thread.
  void (*launch_child)(const Index3& grid, const Index3& block, unsigned long long shared_bytes,
                       void (*call)(void* const* arguments), void* closure,
                       unsigned long closure_bytes, void (*destroy)(void*));
  void (*begin_copy)(const AsyncCopy& copy);
  /// Returns the bytes of the whole box; 0 and a text in `error` if the map cannot be used.
  unsigned long (*begin_tensor_copy)(const TensorCopy& copy, const char** error);
  /// Closes the thread's group of copies.
  void (*commit_copies)(int kind);
  /// Waits for the thread's groups except the newest `prior`; with `of_sources` only until their
  /// sources have been read.
  void (*wait_copies)(unsigned prior, int kind, bool of_sources);
  /// The thread's copies so far belong to a barrier; an mbarrier gets an arrival if `arrives`.
  void (*bind_copies)(void* barrier, unsigned round, bool is_mbarrier, bool arrives);
  /// A thread waits at a barrier that is no mbarrier, or has waited, until a round.
  void (*receive_copies)(void* barrier, unsigned round, bool has_passed);
  /// Returns the state before, or the answer.
  unsigned long long (*mbarrier)(int action, void* at, unsigned long long value);
  const CheckOperations* checks;  ///< null: there are none
};

enum SpreadScope { kScopeCluster = 0, kScopeGrid = 1 };

/// What the running thread of a block sees.
struct ThreadState {
  Index3 thread_index, block_index, block_dim, grid_dim;
  unsigned linear_thread;  ///< thread's number within its block
  void* dynamic_shared;
  const Operations* operations;
  Index3 cluster_dim, cluster_index;  ///< blocks of a cluster; this block's place among them
  unsigned dynamic_shared_bytes;
  unsigned atomic_scope;  ///< under checks: AccessFlag of the atomic operations that come
};

}  // namespace kernelbatch_host

/// Set by the host device around every block. Initial-exec: one load instead of a call.
extern "C" __thread kernelbatch_host::ThreadState* kernelbatch_host_thread
    __attribute__((tls_model("initial-exec")));
