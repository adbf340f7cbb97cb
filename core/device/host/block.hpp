// One running block of threads: its stacks and its barriers. Private to the host device's sources.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/host/async_copies.hpp"
#include "core/device/host/checks/block_checks.hpp"
#include "core/device/host/context_switch.hpp"
#include "core/device/host/cuda/kernelbatch/host_abi.hpp"
#include "core/device/host/simt.hpp"
#include "core/device/host/stack.hpp"

namespace kernelbatch::host {

inline constexpr unsigned kNone = ~0u;
inline constexpr unsigned kHome = 0;  ///< the fiber that is the CPU thread's own stack

/// A line of execution: the CPU thread's own stack (kHome), which never runs a thread that might
/// wait, or a fiber's stack.
struct Fiber {
  std::uint64_t spread_round[2] = {};  ///< of the barriers that its thread reached last
  std::unique_ptr<Stack> stack;
  StackPointer place;
  unsigned thread = kNone;         ///< thread of the block that runs or waits here
  unsigned active = 0;             ///< result of active_mask() after the lanes have gathered
  std::vector<const void*> calls;  ///< with checks: call site of each active function
  bool is_dead = false;            ///< its thread was ended early
  const void* asan_bottom = nullptr;
  std::size_t asan_size = 0;
};

/// Lanes of a warp that call active_mask() at one place of the code.
struct Gathering {
  const void* place = nullptr;
  unsigned warp = 0, arrived = 0;
  std::vector<unsigned> waiting;  ///< fibers
};

/// This block's part of a barrier of its cluster or grid.
struct Spread {
  BlockGroup* group = nullptr;  ///< null: a single block
  unsigned arrived = 0;
  bool is_pending = false;        ///< all threads have arrived; other blocks may not have
  std::uint64_t phase = 0;        ///< of the group
  std::uint64_t round = 0;        ///< barriers passed
  std::vector<unsigned> waiting;  ///< fibers
};

/// One of PTX's barriers 1 to 15.
struct NamedBarrier {
  unsigned arrived = 0, expected = 0;
  bool is_of_block = false;       ///< of all threads that have not ended
  std::uint64_t round = 0;        ///< not reset between blocks, so that checks can distinguish them
  std::vector<unsigned> waiting;  ///< fibers
};

/// The collective operation for which the lanes of one mask are gathering. Tiles of a warp have
/// separate masks and meetings, and do not wait for each other.
struct WarpMeeting {
  unsigned mask = 0;
  unsigned arrived = 0;
  std::uint64_t rounds = 0;
  unsigned long long value[2][kWarp] = {};
  unsigned took_part[2] = {0, 0};
  std::vector<unsigned> waiting;  ///< fibers
};

class BlockRunner::Block {
 public:
  void run(Entry entry, void* const* arguments, const LaunchShape& shape, const Dim3& block,
           ThreadOrder order, const BlockContext& around);

  void spread_arrive(int scope);
  void spread_wait(int scope);
  void* spread_shared(const void* mine, unsigned rank) const;
  void named_barrier(unsigned number, unsigned count, bool waits);
  void add_child(ChildLaunch child);
  int barrier(int kind, int predicate, const void* place);
  kernelbatch_host::WarpValues warp_exchange(unsigned mask, unsigned long long value,
                                             const void* place);
  unsigned active_mask(const void* place);
  void yield();
  void access(const void* address, std::size_t bytes, unsigned flags, const void* place);
  void fence(bool is_block_scope);
  void enter(const void* caller) { fibers_[current_].calls.push_back(caller); }
  void leave() {
    if (!fibers_[current_].calls.empty()) fibers_[current_].calls.pop_back();
  }
  void arrive_at(const void* barrier, unsigned round);
  void go_on_from(const void* barrier, unsigned round);
  void index_outside(long long index, const void* place);
  void misaligned(const void* address, std::size_t alignment, const void* place);
  void product_in_flight(const void* place);
  void begin_copy(const kernelbatch_host::AsyncCopy& copy, const void* place);
  unsigned long begin_tensor_copy(const kernelbatch_host::TensorCopy& copy, const char** error,
                                  const void* place);
  void commit_copies(int kind) { copies_.commit(state_.linear_thread, kind); }
  void wait_copies(unsigned prior, int kind, bool of_sources);
  void bind_copies(void* barrier, unsigned round, bool is_mbarrier, bool arrives,
                   const void* place);
  void receive_copies(void* barrier, unsigned round, bool has_passed);
  unsigned long long mbarrier(int action, void* at, unsigned long long value, const void* place);
  static void fiber_entry();

 private:
  bool is_own_shared(const void* at) const;
  void begin_flight(CopyInFlight flight, const void* place);
  void check_copy(CopyInFlight& flight, const kernelbatch_host::AsyncCopy& part, const void* place);
  void check_box(CopyInFlight& flight, const void* place);
  void complete_copy(CopyInFlight& flight);
  void prepare(const LaunchShape& shape, const Dim3& block, const BlockContext& around);
  void complete(Spread& spread);
  void pass(Spread& spread);
  void wait_for_other_blocks();
  void release(NamedBarrier& barrier);
  void run_threads();
  void begin_thread(unsigned number);
  void end_thread();
  void park();
  void go_to(unsigned fiber);
#if defined(KERNELBATCH_ASAN)
  void arrive(void* fake);
  unsigned left_ = 0;
#endif
  unsigned fresh_fiber();
  void release_barrier();
  void release_gathering(Gathering& gathering);
  void release_first_gatherings();
  unsigned existing_lanes(unsigned warp) const;
  std::size_t find_meeting(unsigned warp, unsigned mask);
  bool complete(const WarpMeeting& meeting, unsigned warp) const;
  void release_warp(WarpMeeting& meeting, unsigned warp);
  void begin_checks(const LaunchShape& shape, const Dim3& block);
  void end_thread_early();
  void spin(const void* place);
  const void* user_place(const void* place);
  unsigned an_ended_thread() const;
  void restore_thread();
  unsigned first_waiting() const;
  std::string describe_waiting() const;
  std::string describe_deadlock() const;

  kernelbatch_host::ThreadState state_{};
  Entry entry_ = nullptr;
  void* const* arguments_ = nullptr;
  ThreadOrder order_ = ThreadOrder::kForward;
  unsigned count_ = 0, next_ = 0, exited_ = 0;
  bool deadlocked_ = false;
  bool is_abandoned_ = false;  ///< another block, which this one waits for, has failed
  BlockContext around_;
  std::array<Spread, 2> spreads_;
  std::array<NamedBarrier, 16> named_;

  std::vector<Fiber> fibers_;
  std::vector<unsigned> free_fibers_;
  std::vector<unsigned> ready_;
  std::size_t ready_head_ = 0;
  unsigned current_ = 0;

  unsigned barrier_arrived_ = 0;
  int barrier_count_ = 0, barrier_result_ = 0;
  bool barrier_all_ = false;  ///< threads may end before others have read the vote's result
  std::vector<unsigned> barrier_waiting_;
  std::vector<Gathering> gatherings_;
  unsigned gathering_ = 0;                      ///< lanes that wait there
  std::size_t idle_yields_ = 0;                 ///< since lanes began to wait there
  std::vector<std::deque<WarpMeeting>> warps_;  ///< meetings of each warp
  std::vector<unsigned> exited_lanes_;
  struct alignas(1024) SharedLine {  ///< the swizzles of matrices and tensors repeat after 1 KiB
    std::byte bytes[1024];
  };
  std::vector<SharedLine> dynamic_shared_;
  AsyncCopies copies_;

  std::unique_ptr<BlockChecks> checks_;  ///< null: nothing is checked
  std::unique_lock<std::mutex> turn_;    ///< while threads of this block run under checks
  unsigned spins_ = 0;                   ///< reads of a flag since the last write
  unsigned long long exchanged_[kWarp] = {};
};

/// The block that this CPU thread is running.
BlockRunner::Block*& current_block() noexcept;
const kernelbatch_host::Operations& operations_of_kernels(bool are_checked) noexcept;

}  // namespace kernelbatch::host
