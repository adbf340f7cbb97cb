// Reports the actions of a block's threads to the checks.
#include <algorithm>

#include "core/device/host/block.hpp"

namespace kernelbatch::host {

void BlockRunner::Block::begin_checks(const LaunchShape& shape, const Dim3& block) {
  if (checks_ == nullptr) checks_ = std::make_unique<BlockChecks>(*around_.checker);
  turn_ = std::unique_lock(around_.checker->turn());
  checks_->begin(shape, block,
                 {reinterpret_cast<std::byte*>(dynamic_shared_.data()), shape.shared_bytes},
                 reinterpret_cast<const void*>(entry_));
  checks_->ignore(this, sizeof *this);
  checks_->ignore(state_.operations, sizeof *state_.operations);
  checks_->ignore(&kernelbatch_host_thread, sizeof kernelbatch_host_thread);
  spins_ = 0;
}

/// The place in the user's text that called the prelude function at `place`.
const void* BlockRunner::Block::user_place(const void* place) {
  Checker& checker = checks_->checker();
  const std::vector<const void*>& calls = fibers_[current_].calls;
  for (std::size_t k = calls.size(); checker.is_ours(place) && k > 0; --k) place = calls[k - 1];
  return place;
}

void BlockRunner::Block::access(const void* address, std::size_t bytes, unsigned flags,
                                const void* place) {
  const Fiber& fiber = fibers_[current_];
  if (static_cast<std::size_t>(static_cast<const char*>(address) - fiber.stack->lowest()) <
      fiber.stack->bytes())
    return;  // its own
  Checker& checker = checks_->checker();
  Site* site = &checker.site_of(place);
  if (checker.is_ours(*site)) {
    place = user_place(place);
    site = &checker.site_of(place);
  }
  constexpr unsigned kStrong = kernelbatch_host::kAccessAtomic | kernelbatch_host::kAccessVolatile;
  if ((flags & kernelbatch_host::kAccessWrites) == 0 && (flags & kStrong) != 0) {
    spin(place);
    site = &checker.site_of(place);  // other threads may have run, and added sites
  }
  if (!checks_->access(state_.linear_thread, address, bytes, flags, *site)) end_thread_early();
  if ((flags & kernelbatch_host::kAccessWrites) != 0) spins_ = 0;
}

void BlockRunner::Block::fence(bool is_block_scope) {
  checks_->fence(state_.linear_thread, is_block_scope);
}

void BlockRunner::Block::arrive_at(const void* barrier, unsigned round) {
  checks_->arrive(state_.linear_thread, barrier, round);
}

void BlockRunner::Block::go_on_from(const void* barrier, unsigned round) {
  checks_->leave(state_.linear_thread, barrier, round);
}

void BlockRunner::Block::index_outside(long long index, const void* place) {
  checks_->index_outside(state_.linear_thread, index, user_place(place));
  end_thread_early();
}

void BlockRunner::Block::misaligned(const void* address, std::size_t alignment, const void* place) {
  checks_->misaligned(state_.linear_thread, address, alignment, user_place(place));
  end_thread_early();  // the machine may refuse such an access, as a GPU does
}

void BlockRunner::Block::product_in_flight(const void* place) {
  checks_->product_in_flight(state_.linear_thread, user_place(place));
}

/// A loop that waits for another thread's write lets other threads run.
void BlockRunner::Block::spin(const void* place) {
  constexpr unsigned kOften = 64, kForEver = 10'000;
  if (++spins_ % kOften != 0) return;
  if (spins_ / kOften > kForEver + 8 * count_) {
    checks_->wait_for_ever(state_.linear_thread, place);
    end_thread_early();
  }
  const unsigned before = spins_;
  yield();
  spins_ = std::max(spins_, before);
}

/// The stack is abandoned without unwinding.
void BlockRunner::Block::end_thread_early() {
  fibers_[current_].is_dead = true;
  end_thread();
  park();
}

}  // namespace kernelbatch::host
