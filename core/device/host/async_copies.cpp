#include "core/device/host/async_copies.hpp"

#include <cstring>
#include <utility>

namespace kernelbatch::host {

void AsyncCopies::begin_block(unsigned threads) {
  if (groups_.size() < threads) groups_.resize(threads);
  for (auto& of_thread : groups_)
    for (Groups& groups : of_thread) {
      groups.copies.clear();
      groups.closed = groups.begun = 0;
    }
  bound_.clear();
  in_flight_ = 0;
}

void AsyncCopies::land(CopyInFlight& flight) {
  const kernelbatch_host::AsyncCopy& copy = flight.copy;
  if (std::exchange(flight.has_landed, true) || copy.bytes == 0) return;
  if (flight.box != nullptr) return flight.box->land(flight.data);
  const void* const from = flight.data.empty() ? copy.from : flight.data.data();
  if (copy.copied > 0) std::memcpy(copy.to, from, copy.copied);
  std::memset(static_cast<char*>(copy.to) + copy.copied, 0, copy.bytes - copy.copied);
}

void AsyncCopies::read_source(CopyInFlight& flight) {
  if (flight.has_landed || !flight.data.empty()) return;
  if (flight.box != nullptr) {
    flight.data = flight.box->gather();
    return;
  }
  const auto* const from = static_cast<const char*>(flight.copy.from);
  flight.data.assign(from, from + flight.copy.copied);
}

void AsyncCopies::add(CopyInFlight flight) {
  ++in_flight_;
  if (void* const barrier = flight.copy.barrier; barrier != nullptr) {
    bound_[barrier].push_back({.flight = std::move(flight)});
    return;
  }
  Groups& of = groups(flight.thread, flight.copy.kind);
  flight.group = of.closed;
  flight.number = of.begun++;
  of.copies.push_back(std::move(flight));
}

template <class Chosen>
void AsyncCopies::take(Groups& groups, const Chosen& chosen, const Complete& complete) {
  // `complete` may let other threads of the block run.
  std::vector<CopyInFlight> taken, kept;
  for (CopyInFlight& each : groups.copies) (chosen(each) ? taken : kept).push_back(std::move(each));
  groups.copies = std::move(kept);
  in_flight_ -= taken.size();
  for (CopyInFlight& each : taken) complete(each);
}

void AsyncCopies::wait(unsigned thread, int kind, unsigned prior, const Complete& complete) {
  Groups& of = groups(thread, kind);
  if (of.copies.empty()) return;
  take(
      of, [&](const CopyInFlight& each) { return each.group + prior < of.closed; }, complete);
}

void AsyncCopies::for_each(unsigned thread, unsigned prior, const Complete& action) {
  Groups& of = groups(thread, kernelbatch_host::kCopyBulk);
  for (CopyInFlight& each : of.copies)
    if (each.group + prior < of.closed) action(each);
}

void AsyncCopies::bind(unsigned thread, void* barrier, unsigned round, bool arrives) {
  Bound bound{.flight = {.thread = thread,
                         .number = groups(thread, kernelbatch_host::kCopySmall).begun,
                         .data = {}},
              .is_of_thread = true,
              .arrives = arrives};
  bound.flight.copy.round = round;
  bound_[barrier].push_back(std::move(bound));
  ++in_flight_;
}

void AsyncCopies::wait_at(void* barrier, const std::function<bool(unsigned)>& has_passed,
                          const Complete& complete, const std::function<void()>& arrive) {
  const auto found = bound_.find(barrier);
  if (found == bound_.end()) return;
  std::vector<Bound> taken, kept;
  for (Bound& each : found->second)
    (has_passed(each.flight.copy.round) ? taken : kept).push_back(std::move(each));
  if (kept.empty())
    bound_.erase(found);
  else
    found->second = std::move(kept);
  in_flight_ -= taken.size();
  for (Bound& each : taken) {
    if (!each.is_of_thread) {
      complete(each.flight);
      continue;
    }
    take(
        groups(each.flight.thread, kernelbatch_host::kCopySmall),
        [&](const CopyInFlight& copy) { return copy.number < each.flight.number; }, complete);
    if (each.arrives) arrive();
  }
}

void AsyncCopies::finish(const Complete& complete) {
  for (auto& of_thread : groups_)
    for (Groups& of : of_thread)
      take(
          of, [](const CopyInFlight&) { return true; }, complete);
  for (auto& [barrier, list] : bound_)
    for (Bound& each : list)
      if (!each.is_of_thread) complete(each.flight);
}

}  // namespace kernelbatch::host
