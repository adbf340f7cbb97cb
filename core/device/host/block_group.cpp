#include "core/device/host/block_group.hpp"

namespace kernelbatch::host {

void BlockGroup::begin(unsigned rank, std::span<std::byte> dynamic_shared,
                       std::span<std::byte> static_shared) {
  std::unique_lock lock(mutex_);
  dynamic_[rank] = dynamic_shared;
  static_[rank] = static_shared;
  const std::uint64_t set = set_;
  if (++begun_ == blocks_) {
    begun_ = arrived_ = 0;
    living_ = blocks_;
    ++set_;
    passed_.notify_all();
  }
  passed_.wait(lock, [&] { return set_ != set || is_abandoned_; });
}

void BlockGroup::leave() {
  const std::lock_guard lock(mutex_);
  --living_;
  pass_if_complete();
}

void BlockGroup::abandon() {
  const std::lock_guard lock(mutex_);
  is_abandoned_ = true;
  passed_.notify_all();
}

void BlockGroup::pass_if_complete() {
  if (arrived_ == 0 || arrived_ < living_) return;
  arrived_ = 0;
  ++phase_;
  passed_.notify_all();
}

std::uint64_t BlockGroup::arrive() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t phase = phase_;
  ++arrived_;
  pass_if_complete();
  return phase;
}

bool BlockGroup::wait(std::uint64_t phase) {
  std::unique_lock lock(mutex_);
  passed_.wait(lock, [&] { return phase_ != phase || is_abandoned_; });
  return phase_ != phase;
}

void* BlockGroup::shared_of(unsigned from, unsigned to, const void* mine) const {
  if (to >= blocks_) return nullptr;
  const auto* address = static_cast<const std::byte*>(mine);
  for (const auto* memory : {&dynamic_, &static_}) {
    const std::span<std::byte> own = (*memory)[from];
    if (address >= own.data() && address < own.data() + own.size())
      return (*memory)[to].data() + (address - own.data());
  }
  return nullptr;
}

}  // namespace kernelbatch::host
