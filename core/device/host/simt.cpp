#include "core/device/host/simt.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/shared_library.hpp"
#include "core/device/host/context_switch.hpp"
#include "core/device/host/include/kernelbatch/host_abi.hpp"

#if defined(KERNELBATCH_ASAN)
#include <sanitizer/asan_interface.h>
#endif

extern "C" {
// Loaded kernels read it by this name: threadIdx and the like are no arguments of a kernel.
__thread kernelbatch_host::ThreadState* kernelbatch_host_thread = nullptr;
}

namespace kernelbatch::host {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr unsigned kWarp = 32;
constexpr unsigned kNone = ~0u;
constexpr unsigned kHome = 0;  ///< the fiber that is the CPU thread's own stack

/// One stack with an inaccessible page below it, at an address that is no multiple of a power of
/// two far above the cache's associativity: equal offsets in all stacks would share a few cache
/// sets.
class Stack {
 public:
  explicit Stack(std::size_t colour) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    bytes_ = kStackBytes + page;
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      throw OutOfMemoryError("no memory for the stacks of a block's threads");
    memory_ = static_cast<char*>(memory);
    ::mprotect(memory_, page, PROT_NONE);
    usable_ = memory_ + page;
    usable_bytes_ = kStackBytes - (colour % 31) * 192;
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
#if defined(KERNELBATCH_ASAN)
    // A deadlocked thread never left its frames; the next mapping here must not inherit their
    // marks.
    __asan_unpoison_memory_region(memory_, bytes_);
#endif
    ::munmap(memory_, bytes_);
  }
  char* lowest() const noexcept { return usable_; }
  std::size_t bytes() const noexcept { return usable_bytes_; }

 private:
  char* memory_ = nullptr;
  char* usable_ = nullptr;
  std::size_t bytes_ = 0, usable_bytes_ = 0;
};

/// A line of execution: the CPU thread's own stack (kHome), which runs no thread of a block that
/// could wait, or one of ours.
struct Fiber {
  std::unique_ptr<Stack> stack;
  StackPointer place;
  unsigned thread = kNone;  ///< thread of the block that runs or waits here
  unsigned active = 0;      ///< what active_mask() gives once the lanes have gathered
  const void* asan_bottom = nullptr;
  std::size_t asan_size = 0;
};

/// Lanes of a warp that ask at one place of the code which of them are there.
struct Gathering {
  const void* place = nullptr;
  unsigned warp = 0, arrived = 0;
  std::vector<unsigned> waiting;  ///< fibers
};

/// The collective operation that the lanes of one mask are gathering for. Tiles of a warp have
/// masks, and so meetings, of their own, and do not wait for each other.
struct WarpMeeting {
  unsigned mask = 0;
  unsigned arrived = 0;
  std::uint64_t rounds = 0;
  unsigned long long value[2][kWarp] = {};
  unsigned took_part[2] = {0, 0};
  std::vector<unsigned> waiting;  ///< fibers
};

}  // namespace

class BlockRunner::Block {
 public:
  void run(Entry entry, void* const* arguments, const LaunchShape& shape, const Dim3& block,
           ThreadOrder order);

  int barrier(int kind, int predicate);
  kernelbatch_host::WarpValues warp_exchange(unsigned mask, unsigned long long value);
  unsigned active_mask(const void* place);
  void yield();
  static void fiber_entry();

 private:
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
  void release_warp(WarpMeeting& meeting);
  void restore_thread();
  std::string describe_deadlock() const;

  kernelbatch_host::ThreadState state_{};
  Entry entry_ = nullptr;
  void* const* arguments_ = nullptr;
  ThreadOrder order_ = ThreadOrder::kForward;
  unsigned count_ = 0, next_ = 0, exited_ = 0;
  bool deadlocked_ = false;

  std::vector<Fiber> fibers_;
  std::vector<unsigned> free_fibers_;
  std::vector<unsigned> ready_;
  std::size_t ready_head_ = 0;
  unsigned current_ = 0;

  unsigned barrier_arrived_ = 0;
  int barrier_count_ = 0, barrier_result_ = 0;
  bool barrier_all_ = false;  ///< threads may end before the others have read the vote's answer
  std::vector<unsigned> barrier_waiting_;
  std::vector<Gathering> gatherings_;
  unsigned gathering_ = 0;      ///< lanes that wait there
  std::size_t idle_yields_ = 0;  ///< since lanes began to wait there
  std::vector<std::deque<WarpMeeting>> warps_;  ///< meetings of each warp
  std::vector<unsigned> exited_lanes_;
  std::vector<std::max_align_t> dynamic_shared_;
};

namespace {

/// The block that this CPU thread is running; fibers never move to another CPU thread. Operations
/// are plain functions, which kernels call without arguments of ours.
thread_local BlockRunner::Block* current_block = nullptr;

int do_barrier(int kind, int predicate) { return current_block->barrier(kind, predicate); }
kernelbatch_host::WarpValues do_warp_exchange(unsigned mask, unsigned long long value) {
  return current_block->warp_exchange(mask, value);
}
unsigned do_active_mask() { return current_block->active_mask(__builtin_return_address(0)); }
void do_yield() { current_block->yield(); }

constexpr kernelbatch_host::Operations kOperations{do_barrier, do_warp_exchange, do_active_mask,
                                                   do_yield};

}  // namespace

void BlockRunner::Block::run(Entry entry, void* const* arguments, const LaunchShape& shape,
                             const Dim3& block, ThreadOrder order) {
  entry_ = entry;
  arguments_ = arguments;
  order_ = order;
  count_ = static_cast<unsigned>(shape.block.count());
  next_ = exited_ = barrier_arrived_ = 0;
  barrier_count_ = 0;
  deadlocked_ = false;
  state_.block_index = {block.x, block.y, block.z};
  state_.block_dim = {shape.block.x, shape.block.y, shape.block.z};
  state_.grid_dim = {shape.grid.x, shape.grid.y, shape.grid.z};
  state_.operations = &kOperations;
  dynamic_shared_.resize(shape.shared_bytes / sizeof(std::max_align_t) + 1);
  state_.dynamic_shared = dynamic_shared_.data();
  constexpr int kPoison = 0xA5;
  if (count_ > 1 && shape.shared_bytes > 0)  // shared memory starts with anything but zeros
    std::memset(dynamic_shared_.data(), kPoison, shape.shared_bytes);
  if (order == ThreadOrder::kReverse) {
    // Static shared memory is thread-local: a block must not be able to use what an earlier one
    // left. Looked up every time: another image may have come to the same address.
    const auto memory = thread_local_memory_of(reinterpret_cast<const void*>(entry));
    if (!memory.empty()) std::memset(memory.data(), kPoison, memory.size());
  }
  if (fibers_.empty()) fibers_.emplace_back();
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

  current_block = this;
  kernelbatch_host_thread = &state_;
  if (count_ == 1)
    run_threads();  // a single thread never waits
  else
    go_to(fresh_fiber());
  kernelbatch_host_thread = nullptr;
  current_block = nullptr;
  if (deadlocked_) {
    const std::string message = describe_deadlock();
    // The waiting stacks hold threads that will never go on.
    fibers_.resize(1);
    free_fibers_.clear();
    throw RunError(message);
  }
}

void BlockRunner::Block::begin_thread(unsigned number) {
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
  const unsigned thread = fibers_[current_].thread;
  const unsigned warp = thread / kWarp;
  ++exited_;
  exited_lanes_[warp] |= 1u << (thread % kWarp);
  // A thread that has ended counts as arrived wherever the others wait.
  if (barrier_arrived_ > 0 && barrier_arrived_ + exited_ == count_) release_barrier();
  for (WarpMeeting& meeting : warps_[warp])
    if (meeting.arrived != 0 && complete(meeting, warp)) release_warp(meeting);
}

void BlockRunner::Block::fiber_entry() {
  Block& block = *current_block;
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
  fibers_.push_back(std::move(fiber));
  return number;
}

/// Leaves the current fiber where it is and goes on elsewhere: with a thread that can run, else
/// with one that has not begun, else home when all is done or nothing can go on.
void BlockRunner::Block::park() {
  unsigned target = kHome;
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
/// Tells the sanitizer which stack is in use; the bounds of the one just left are its answer.
void BlockRunner::Block::arrive(void* fake) {
  Fiber& before = fibers_[left_];
  __sanitizer_finish_switch_fiber(fake, &before.asan_bottom, &before.asan_size);
}
#endif

void BlockRunner::Block::release_barrier() {
  barrier_result_ = barrier_count_;
  barrier_all_ = barrier_count_ == static_cast<int>(barrier_arrived_);
  barrier_arrived_ = 0;
  barrier_count_ = 0;
  ready_.insert(ready_.end(), barrier_waiting_.begin(), barrier_waiting_.end());
  barrier_waiting_.clear();
}

int BlockRunner::Block::barrier(int kind, int predicate) {
  ++barrier_arrived_;
  if (predicate != 0) ++barrier_count_;
  if (barrier_arrived_ + exited_ == count_) {
    release_barrier();
  } else {
    barrier_waiting_.push_back(current_);
    park();
  }
  switch (kind) {
    case kernelbatch_host::kBarrierCount:
      return barrier_result_;
    case kernelbatch_host::kBarrierAnd:
      return barrier_all_ ? 1 : 0;
    case kernelbatch_host::kBarrierOr:
      return barrier_result_ > 0 ? 1 : 0;
    default:
      return 0;
  }
}

/// The lanes that stand at one place of the code, as a GPU's would that run in step: a lane waits
/// there until all living lanes of the warp have come, or until no other thread can go on.
unsigned BlockRunner::Block::active_mask(const void* place) {
  const unsigned warp = state_.linear_thread / kWarp;
  const auto is_here = [&](const Gathering& gathering) {
    return gathering.place == place && gathering.warp == warp;
  };
  auto found = std::ranges::find_if(gatherings_, is_here);
  if (found == gatherings_.end()) {
    gatherings_.push_back({place, warp, 0, {}});
    found = gatherings_.end() - 1;
  }
  found->arrived |= 1u << (state_.linear_thread % kWarp);
  found->waiting.push_back(current_);
  ++gathering_;
  idle_yields_ = 0;
  const unsigned self = current_;
  if (found->arrived == (existing_lanes(warp) & ~exited_lanes_[warp])) {
    const unsigned arrived = found->arrived;
    found->waiting.pop_back();  // this one goes on at once
    --gathering_;
    release_gathering(*found);
    return arrived;
  }
  park();
  return fibers_[self].active;
}

void BlockRunner::Block::release_gathering(Gathering& gathering) {
  for (const unsigned fiber : gathering.waiting) {
    fibers_[fiber].active = gathering.arrived;
    ready_.push_back(fiber);
  }
  gathering_ -= static_cast<unsigned>(gathering.waiting.size());
  gathering.waiting.clear();
  gathering.arrived = 0;
}

/// Those that stand first in the code: they may still come to where the others wait.
void BlockRunner::Block::release_first_gatherings() {
  const void* first = nullptr;
  for (const Gathering& gathering : gatherings_)
    if (gathering.arrived != 0 && (first == nullptr || std::less<>{}(gathering.place, first)))
      first = gathering.place;
  for (Gathering& gathering : gatherings_)
    if (gathering.place == first && gathering.arrived != 0) release_gathering(gathering);
}

unsigned BlockRunner::Block::existing_lanes(unsigned warp) const {
  const unsigned lanes = std::min(kWarp, count_ - warp * kWarp);
  return lanes == kWarp ? ~0u : (1u << lanes) - 1u;
}

std::size_t BlockRunner::Block::find_meeting(unsigned warp, unsigned mask) {
  std::deque<WarpMeeting>& meetings = warps_[warp];
  // Lanes that have ended since make no difference, and one that gathers already comes first.
  const unsigned living = ~exited_lanes_[warp];
  std::size_t idle = meetings.size();
  for (std::size_t k = 0; k < meetings.size(); ++k) {
    if (((meetings[k].mask ^ mask) & living) != 0) continue;
    if (meetings[k].arrived != 0) return k;
    idle = std::min(idle, k);
  }
  if (idle < meetings.size()) return idle;
  meetings.emplace_back().mask = mask;
  return meetings.size() - 1;
}

bool BlockRunner::Block::complete(const WarpMeeting& meeting, unsigned warp) const {
  return (meeting.mask & ~exited_lanes_[warp] & ~meeting.arrived) == 0;
}

void BlockRunner::Block::release_warp(WarpMeeting& meeting) {
  meeting.took_part[meeting.rounds & 1] = meeting.arrived;
  ++meeting.rounds;
  meeting.arrived = 0;
  ready_.insert(ready_.end(), meeting.waiting.begin(), meeting.waiting.end());
  meeting.waiting.clear();
}

kernelbatch_host::WarpValues BlockRunner::Block::warp_exchange(unsigned mask,
                                                               unsigned long long value) {
  const unsigned thread = state_.linear_thread;
  const unsigned warp = thread / kWarp;
  // Lanes that do not exist hold up no other.
  const std::size_t number = find_meeting(warp, mask & existing_lanes(warp));
  WarpMeeting& meeting = warps_[warp][number];
  const std::uint64_t round = meeting.rounds;
  // Two buffers suffice: a lane can be one operation ahead of the slowest reader, never two.
  meeting.value[round & 1][thread % kWarp] = value;
  meeting.arrived |= 1u << (thread % kWarp);
  if (complete(meeting, warp)) {
    release_warp(meeting);
  } else {
    meeting.waiting.push_back(current_);
    park();
  }
  const WarpMeeting& after = warps_[warp][number];
  return {after.value[round & 1], after.took_part[round & 1]};
}

void BlockRunner::Block::yield() {
  ready_.push_back(current_);
  // Threads that only wait for others do not keep those back who gather.
  if (gathering_ != 0 && ++idle_yields_ > 2 * fibers_.size()) release_first_gatherings();
  // The list is seldom empty while threads wait in loops.
  constexpr std::size_t kKept = 4096;
  if (ready_head_ > kKept) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_head_));
    ready_head_ = 0;
  }
  if (next_ < count_) {
    // Those that have not begun first: one of them may be what the others wait for.
    go_to(fresh_fiber());
    restore_thread();
  } else {
    if (ready_.size() - ready_head_ == 1) ::sched_yield();  // it waits for another block
    park();
  }
}

std::string BlockRunner::Block::describe_deadlock() const {
  unsigned at_warp = 0;
  for (const std::deque<WarpMeeting>& meetings : warps_)
    for (const WarpMeeting& meeting : meetings)
      at_warp += static_cast<unsigned>(std::popcount(meeting.arrived));
  unsigned first = kNone;
  for (const Fiber& fiber : fibers_) first = std::min(first, fiber.thread);
  return fmt::format(
      "deadlock in block ({}, {}, {}): of {} threads, {} have ended, {} wait at a barrier and {} "
      "at "
      "a warp operation; the first waiting one is thread {}",
      state_.block_index.x, state_.block_index.y, state_.block_index.z, count_, exited_,
      barrier_arrived_, at_warp, first);
}

BlockRunner::BlockRunner() : block_(std::make_unique<Block>()) {}
BlockRunner::~BlockRunner() = default;

void BlockRunner::run(Entry entry, void* const* arguments, const LaunchShape& shape,
                      const Dim3& block, ThreadOrder order) {
  block_->run(entry, arguments, shape, block, order);
}

}  // namespace kernelbatch::host
