#include "core/device/host/simt.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/shared_library.hpp"
#include "core/device/host/block.hpp"

#if defined(KERNELBATCH_ASAN)
#include <sanitizer/asan_interface.h>
#endif

extern "C" {
// Loaded kernels read it by this name: threadIdx and the like are no arguments of a kernel.
__thread kernelbatch_host::ThreadState* kernelbatch_host_thread = nullptr;
}

namespace kernelbatch::host {

void BlockRunner::Block::prepare(const LaunchShape& shape, const Dim3& block,
                                 const BlockContext& around) {
  count_ = static_cast<unsigned>(shape.block.count());
  next_ = exited_ = barrier_arrived_ = 0;
  barrier_count_ = 0;
  deadlocked_ = is_abandoned_ = false;
  around_ = around;
  for (Spread& spread : spreads_) spread = {};
  spreads_[kernelbatch_host::kScopeCluster].group = around.cluster;
  spreads_[kernelbatch_host::kScopeGrid].group = around.grid;
  for (NamedBarrier& barrier : named_) barrier = {.round = barrier.round + 1, .waiting = {}};
  const Dim3& cluster = shape.cluster;
  state_.cluster_dim = {cluster.x, cluster.y, cluster.z};
  state_.cluster_index = {block.x % cluster.x, block.y % cluster.y, block.z % cluster.z};
  state_.block_index = {block.x, block.y, block.z};
  state_.block_dim = {shape.block.x, shape.block.y, shape.block.z};
  state_.grid_dim = {shape.grid.x, shape.grid.y, shape.grid.z};
  state_.operations = &operations_of_kernels(around.checker != nullptr);
  state_.atomic_scope = 0;
  dynamic_shared_.resize(shape.shared_bytes / sizeof(SharedLine) + 1);
  state_.dynamic_shared = dynamic_shared_.data();
  state_.dynamic_shared_bytes = static_cast<unsigned>(shape.shared_bytes);
  constexpr int kPoison = 0xA5;
  if (count_ > 1 && shape.shared_bytes > 0)  // shared memory starts with anything but zeros
    std::memset(dynamic_shared_.data(), kPoison, shape.shared_bytes);
  if (order_ == ThreadOrder::kReverse) {
    // Static shared memory is thread-local: a block must not see data of an earlier one. Looked up
    // every time: another image may be loaded at the same address.
    const auto memory = thread_local_memory_of(reinterpret_cast<const void*>(entry_));
    if (!memory.empty()) std::memset(memory.data(), kPoison, memory.size());
  }
  copies_.begin_block(count_);
  if (fibers_.empty()) fibers_.emplace_back();
  for (unsigned number = 0; number < fibers_.size(); ++number) {
    Fiber& fiber = fibers_[number];
    if (!std::exchange(fiber.is_dead, false)) continue;
    fiber.thread = kNone;
    fiber.place = prepare_stack(fiber.stack->lowest(), fiber.stack->bytes(), &Block::fiber_entry);
    free_fibers_.push_back(number);
  }
  const unsigned warps = (count_ + kWarp - 1) / kWarp;
  if (warps_.size() < warps) warps_.resize(warps);
  exited_lanes_.assign(warps, 0);
  constexpr std::size_t kKeptMeetings = 8;
  for (std::deque<WarpMeeting>& meetings : warps_) {
    if (meetings.size() > kKeptMeetings) meetings.resize(kKeptMeetings);
    for (WarpMeeting& meeting : meetings) {
      meeting.arrived = 0;
      meeting.waiting.clear();
    }
  }
  ready_.clear();
  ready_head_ = 0;
  barrier_waiting_.clear();
  gatherings_.clear();
  gathering_ = 0;
  current_ = kHome;
}

void BlockRunner::Block::run(Entry entry, void* const* arguments, const LaunchShape& shape,
                             const Dim3& block, ThreadOrder order, const BlockContext& around) {
  entry_ = entry;
  arguments_ = arguments;
  order_ = order;
  prepare(shape, block, around);
  const std::span<std::byte> dynamic_shared{reinterpret_cast<std::byte*>(dynamic_shared_.data()),
                                            shape.shared_bytes};
  if (around.cluster != nullptr)
    around.cluster->begin(around.cluster_rank, dynamic_shared,
                          thread_local_memory_of(reinterpret_cast<const void*>(entry)));
  if (around.grid != nullptr) around.grid->begin(around.grid_rank, {}, {});

  current_block() = this;
  kernelbatch_host_thread = &state_;
  if (around.checker != nullptr) begin_checks(shape, block);
  if (count_ == 1 && checks_ == nullptr)
    run_threads();  // a single thread never waits
  else
    go_to(fresh_fiber());
  if (!copies_.empty() && !deadlocked_) copies_.finish(&AsyncCopies::land);
  kernelbatch_host_thread = nullptr;
  current_block() = nullptr;
  if (checks_ != nullptr && deadlocked_ && !is_abandoned_)
    checks_->deadlock(first_waiting(), describe_waiting());
  if (turn_.owns_lock()) turn_.unlock();
  for (const Spread& spread : spreads_)
    if (spread.group != nullptr) deadlocked_ ? spread.group->abandon() : spread.group->leave();
  if (deadlocked_) {
    const std::string message =
        is_abandoned_ ? "another block of the cluster or grid failed, which this one waits for"
                      : describe_deadlock();
    // The waiting stacks hold threads that will never continue.
    fibers_.resize(1);
    free_fibers_.clear();
    throw RunError(message);
  }
}

void BlockRunner::Block::begin_thread(unsigned number) {
  fibers_[current_].calls.clear();
  fibers_[current_].thread = number;
  restore_thread();
}

void BlockRunner::Block::restore_thread() {
  const unsigned thread = fibers_[current_].thread;
  if (thread == kNone) return;
  const unsigned x = state_.block_dim.x;
  const unsigned y = state_.block_dim.y;
  state_.linear_thread = thread;
  state_.thread_index = {thread % x, thread / x % y, thread / x / y};
}

void BlockRunner::Block::run_threads() {
  while (next_ < count_) {
    const unsigned number = next_++;
    begin_thread(order_ == ThreadOrder::kForward ? number : count_ - 1 - number);
    entry_(arguments_);
    end_thread();
  }
  fibers_[current_].thread = kNone;
}

void BlockRunner::Block::end_thread() {
  if (checks_ != nullptr) checks_->finish_pending();
  const unsigned thread = fibers_[current_].thread;
  const unsigned warp = thread / kWarp;
  ++exited_;
  exited_lanes_[warp] |= 1u << (thread % kWarp);
  // A thread that has ended counts as arrived at every barrier.
  if (barrier_arrived_ > 0 && barrier_arrived_ + exited_ == count_) release_barrier();
  for (Spread& spread : spreads_)
    if (spread.arrived > 0 && spread.arrived + exited_ == count_) complete(spread);
  for (NamedBarrier& each : named_)
    if (each.is_of_block && each.arrived > 0 && each.arrived + exited_ == count_) release(each);
  for (WarpMeeting& meeting : warps_[warp])
    if (meeting.arrived != 0 && complete(meeting, warp)) release_warp(meeting, warp);
}

void BlockRunner::Block::fiber_entry() {
  Block& block = *current_block();
#if defined(KERNELBATCH_ASAN)
  block.arrive(nullptr);
#endif
  for (;;) {
    block.run_threads();
    block.free_fibers_.push_back(block.current_);
    block.park();  // returns only when this stack is reused
  }
}

unsigned BlockRunner::Block::fresh_fiber() {
  if (!free_fibers_.empty()) {
    const unsigned fiber = free_fibers_.back();
    free_fibers_.pop_back();
    return fiber;
  }
  const auto number = static_cast<unsigned>(fibers_.size());
  Fiber fiber;
  fiber.stack = std::make_unique<Stack>(number);
  fiber.place = prepare_stack(fiber.stack->lowest(), fiber.stack->bytes(), &Block::fiber_entry);
  fiber.asan_bottom = fiber.stack->lowest();
  fiber.asan_size = fiber.stack->bytes();
  if (checks_ != nullptr) checks_->ignore(fiber.stack->lowest(), fiber.stack->bytes());
  fibers_.push_back(std::move(fiber));
  return number;
}

/// Suspends the current fiber and switches to a thread that can run, else to one that has not
/// begun, else home if all is done or nothing can continue.
void BlockRunner::Block::park() {
  unsigned target = kHome;
  if (ready_head_ == ready_.size() && next_ == count_ && exited_ < count_) wait_for_other_blocks();
  if (gathering_ != 0 && ready_head_ == ready_.size() && next_ == count_)
    release_first_gatherings();
  if (ready_head_ < ready_.size()) {
    target = ready_[ready_head_++];
    if (ready_head_ == ready_.size()) {
      ready_.clear();
      ready_head_ = 0;
    }
  } else if (next_ < count_) {
    target = fresh_fiber();
  } else if (exited_ < count_) {
    deadlocked_ = true;
  }
  if (target != current_) go_to(target);
  restore_thread();
}

void BlockRunner::Block::go_to(unsigned fiber) {
  const unsigned from = current_;
  current_ = fiber;
#if defined(KERNELBATCH_ASAN)
  left_ = from;
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fibers_[fiber].asan_bottom, fibers_[fiber].asan_size);
#endif
  switch_stack(fibers_[from].place, fibers_[fiber].place);
#if defined(KERNELBATCH_ASAN)
  arrive(fake);
#endif
}

#if defined(KERNELBATCH_ASAN)
/// Informs the sanitizer which stack is in use and receives the bounds of the previous one.
void BlockRunner::Block::arrive(void* fake) {
  Fiber& before = fibers_[left_];
  __sanitizer_finish_switch_fiber(fake, &before.asan_bottom, &before.asan_size);
}
#endif

BlockRunner::BlockRunner() : block_(std::make_unique<Block>()) {}
BlockRunner::~BlockRunner() = default;

void BlockRunner::run(Entry entry, void* const* arguments, const LaunchShape& shape,
                      const Dim3& block, ThreadOrder order, const BlockContext& around) {
  block_->run(entry, arguments, shape, block, order, around);
}

}  // namespace kernelbatch::host
