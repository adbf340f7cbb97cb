// Barriers and warp operations: waiting for threads of the block and for other blocks.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "core/device/host/block.hpp"

namespace kernelbatch::host {

void BlockRunner::Block::spread_arrive(int scope) {
  Spread& spread = spreads_[static_cast<std::size_t>(scope)];
  if (checks_ != nullptr && spread.group != nullptr && scope == kernelbatch_host::kScopeCluster)
    checks_->arrive(state_.linear_thread, spread.group, spread.round);
  fibers_[current_].spread_round[scope] = spread.round;
  ++spread.arrived;
  if (spread.arrived + exited_ == count_) complete(spread);
}

void BlockRunner::Block::spread_wait(int scope) {
  Spread& spread = spreads_[static_cast<std::size_t>(scope)];
  if (spread.round == fibers_[current_].spread_round[scope]) {
    if (checks_ != nullptr) checks_->finish_pending();
    spread.waiting.push_back(current_);
    park();
  }
  if (checks_ != nullptr && spread.group != nullptr && scope == kernelbatch_host::kScopeCluster)
    checks_->leave(state_.linear_thread, spread.group, fibers_[current_].spread_round[scope]);
}

/// All threads of this block have arrived.
void BlockRunner::Block::complete(Spread& spread) {
  spread.arrived = 0;
  if (spread.group == nullptr) return pass(spread);
  spread.phase = spread.group->arrive();
  spread.is_pending = true;
}

void BlockRunner::Block::pass(Spread& spread) {
  if (checks_ != nullptr && spread.group == nullptr) checks_->pass_barrier(0, 0);
  if (checks_ != nullptr && spread.group != nullptr &&
      &spread == &spreads_[kernelbatch_host::kScopeGrid])
    checks_->checker().pass_grid_barrier(spread.phase);
  spread.is_pending = false;
  ++spread.round;
  ready_.insert(ready_.end(), spread.waiting.begin(), spread.waiting.end());
  spread.waiting.clear();
}

/// No thread of this block can continue before other blocks have reached a barrier.
void BlockRunner::Block::wait_for_other_blocks() {
  for (Spread& spread : spreads_) {
    if (!spread.is_pending || spread.waiting.empty()) continue;
    if (turn_.owns_lock()) turn_.unlock();
    is_abandoned_ = !spread.group->wait(spread.phase);
    if (checks_ != nullptr) turn_.lock();
    if (!is_abandoned_) pass(spread);
    return;
  }
}

void* BlockRunner::Block::spread_shared(const void* mine, unsigned rank) const {
  if (around_.cluster != nullptr)
    return around_.cluster->shared_of(around_.cluster_rank, rank, mine);
  return rank == 0 ? const_cast<void*>(mine) : nullptr;
}

void BlockRunner::Block::named_barrier(unsigned number, unsigned count, bool waits) {
  if (number == 0 && count == 0 && waits) {
    barrier(kernelbatch_host::kBarrierPlain, 0, __builtin_return_address(0));
    return;
  }
  NamedBarrier& each = named_[number % named_.size()];
  const std::uint64_t round = each.round;
  if (checks_ != nullptr) checks_->arrive(state_.linear_thread, &each, round);
  each.expected = count == 0 ? count_ : count;
  // With a count, ended threads do not arrive: many had arrived before.
  each.is_of_block = count == 0;
  ++each.arrived;
  if (each.arrived + (each.is_of_block ? exited_ : 0) >= each.expected) {
    release(each);
  } else if (waits) {
    each.waiting.push_back(current_);
    park();
  }
  if (checks_ != nullptr && waits) checks_->leave(state_.linear_thread, &each, round);
}

void BlockRunner::Block::release(NamedBarrier& barrier) {
  barrier.arrived = 0;
  ++barrier.round;
  ready_.insert(ready_.end(), barrier.waiting.begin(), barrier.waiting.end());
  barrier.waiting.clear();
}

void BlockRunner::Block::add_child(ChildLaunch child) {
  if (around_.children != nullptr) around_.children->add(std::move(child));
}

void BlockRunner::Block::release_barrier() {
  if (checks_ != nullptr) checks_->pass_barrier(exited_, an_ended_thread());
  barrier_result_ = barrier_count_;
  barrier_all_ = barrier_count_ == static_cast<int>(barrier_arrived_);
  barrier_arrived_ = 0;
  barrier_count_ = 0;
  ready_.insert(ready_.end(), barrier_waiting_.begin(), barrier_waiting_.end());
  barrier_waiting_.clear();
}

int BlockRunner::Block::barrier(int kind, int predicate, const void* place) {
  if (checks_ != nullptr) checks_->come_to_barrier(state_.linear_thread, user_place(place));
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

/// The lanes at one place of the code, as on a GPU whose lanes run in step: a lane waits there
/// until all living lanes of the warp have arrived, or until no other thread can continue.
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
    found->waiting.pop_back();  // this one continues immediately
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

/// Releases the lanes that are earliest in the code: they may still reach the place where the
/// others wait.
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
  // Lanes that have ended are ignored, and a meeting that is already gathering comes first.
  const unsigned living = ~exited_lanes_[warp];
  std::size_t idle = meetings.size();
  for (std::size_t k = 0; k < meetings.size(); ++k) {
    if (((meetings[k].mask ^ mask) & living) != 0) continue;
    if (meetings[k].arrived != 0) return k;
    idle = std::min(idle, k);
  }
  if (idle < meetings.size()) {
    meetings[idle].mask = mask;  // which may name fewer lanes that have ended
    return idle;
  }
  meetings.emplace_back().mask = mask;
  return meetings.size() - 1;
}

bool BlockRunner::Block::complete(const WarpMeeting& meeting, unsigned warp) const {
  return (meeting.mask & ~exited_lanes_[warp] & ~meeting.arrived) == 0;
}

void BlockRunner::Block::release_warp(WarpMeeting& meeting, unsigned warp) {
  if (checks_ != nullptr)
    checks_->pass_warp(warp, meeting.arrived, meeting.mask, exited_lanes_[warp]);
  meeting.took_part[meeting.rounds & 1] = meeting.arrived;
  ++meeting.rounds;
  meeting.arrived = 0;
  ready_.insert(ready_.end(), meeting.waiting.begin(), meeting.waiting.end());
  meeting.waiting.clear();
}

kernelbatch_host::WarpValues BlockRunner::Block::warp_exchange(unsigned mask,
                                                               unsigned long long value,
                                                               const void* place) {
  if (checks_ != nullptr) checks_->come_to_warp(state_.linear_thread, mask, user_place(place));
  const unsigned thread = state_.linear_thread;
  const unsigned warp = thread / kWarp;
  // Nonexistent lanes do not block others.
  const std::size_t number = find_meeting(warp, mask & existing_lanes(warp));
  WarpMeeting& meeting = warps_[warp][number];
  const std::uint64_t round = meeting.rounds;
  // Two buffers suffice: a lane can be one operation ahead of the slowest reader, never two.
  meeting.value[round & 1][thread % kWarp] = value;
  meeting.arrived |= 1u << (thread % kWarp);
  if (complete(meeting, warp)) {
    release_warp(meeting, warp);
  } else {
    meeting.waiting.push_back(current_);
    park();
  }
  const WarpMeeting& after = warps_[warp][number];
  if (checks_ != nullptr) {
    // Copy to memory that is not checked.
    std::ranges::copy(after.value[round & 1], exchanged_);
    return {exchanged_, after.took_part[round & 1]};
  }
  return {after.value[round & 1], after.took_part[round & 1]};
}

void BlockRunner::Block::yield() {
  if (checks_ != nullptr) checks_->finish_pending();
  ready_.push_back(current_);
  // Threads that only wait for others do not block gathering lanes.
  if (gathering_ != 0 && ++idle_yields_ > 2 * fibers_.size()) release_first_gatherings();
  // The list is seldom empty while threads wait in loops.
  constexpr std::size_t kKept = 4096;
  if (ready_head_ > kKept) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_head_));
    ready_head_ = 0;
  }
  if (next_ < count_) {
    // Start unstarted threads first: one of them may be what the others wait for.
    go_to(fresh_fiber());
    restore_thread();
  } else {
    if (ready_.size() - ready_head_ == 1) {  // it waits for another block
      if (turn_.owns_lock()) turn_.unlock();
      ::sched_yield();
      if (checks_ != nullptr) turn_.lock();
    }
    park();
  }
}

unsigned BlockRunner::Block::first_waiting() const {
  unsigned first = kNone;
  for (const Fiber& fiber : fibers_)
    if (!fiber.is_dead) first = std::min(first, fiber.thread);
  return first;
}

unsigned BlockRunner::Block::an_ended_thread() const {
  for (unsigned warp = 0; warp < exited_lanes_.size(); ++warp)
    if (exited_lanes_[warp] != 0)
      return warp * kWarp + static_cast<unsigned>(std::countr_zero(exited_lanes_[warp]));
  return 0;
}

std::string BlockRunner::Block::describe_waiting() const {
  unsigned at_warp = 0;
  for (const std::deque<WarpMeeting>& meetings : warps_)
    for (const WarpMeeting& meeting : meetings)
      at_warp += static_cast<unsigned>(std::popcount(meeting.arrived));
  return fmt::format(
      "of {} threads, {} have ended, {} wait at a barrier and {} at a warp operation", count_,
      exited_, barrier_arrived_, at_warp);
}

std::string BlockRunner::Block::describe_deadlock() const {
  const kernelbatch_host::Index3& block = state_.block_index;
  return fmt::format("deadlock in block ({}, {}, {}): {}; the first waiting one is thread {}",
                     block.x, block.y, block.z, describe_waiting(), first_waiting());
}

}  // namespace kernelbatch::host
