// Asynchronous copies of a block's threads, and mbarriers, which count their bytes. Without checks
// data arrive as late as possible, with checks at once: then every access of a copy that no thread
// has waited for is reported.
#include <atomic>
#include <utility>

#include "core/base/shared_library.hpp"
#include "core/device/host/block.hpp"

namespace kernelbatch::host {
namespace {

using kernelbatch_host::kAccessAcquires;
using kernelbatch_host::kAccessAnyPlace;
using kernelbatch_host::kAccessAtomic;
using kernelbatch_host::kAccessReads;
using kernelbatch_host::kAccessReleases;
using kernelbatch_host::kAccessWrites;

/// An mbarrier's 64 bits.
struct Mbarrier {
  static constexpr unsigned long long kCount = (1ull << 20) - 1, kBytes = (1ull << 22) - 1;
  unsigned long long pending = 0, expected = 0, bytes = 0, phase = 0;

  static Mbarrier of(unsigned long long word) {
    return {word & kCount, word >> 20 & kCount, word >> 40 & kBytes, word >> 62};
  }
  unsigned long long word() const {
    return (pending & kCount) | (expected & kCount) << 20 | (bytes & kBytes) << 40 | phase << 62;
  }
  void end_phase_if_complete() {
    if ((pending & kCount) != 0 || (bytes & kBytes) != 0) return;
    phase = (phase + 1) & 3;
    pending = expected;
  }
};

unsigned long long update(void* at, int action, unsigned long long value) {
  std::atomic_ref<unsigned long long> word(*static_cast<unsigned long long*>(at));
  unsigned long long before = word.load(), after = 0;
  do {
    Mbarrier state = Mbarrier::of(before);
    if (action == kernelbatch_host::kMbarrierExpect) state.bytes += value;
    if (action == kernelbatch_host::kMbarrierComplete) state.bytes -= value;
    if (action == kernelbatch_host::kMbarrierDrop) state.expected -= value;
    if (action == kernelbatch_host::kMbarrierArrive || action == kernelbatch_host::kMbarrierDrop)
      state.pending -= value;
    if (action == kernelbatch_host::kMbarrierInit)
      state = {.pending = value, .expected = value};
    else if (action != kernelbatch_host::kMbarrierExpect)
      state.end_phase_if_complete();
    after = state.word();
  } while (!word.compare_exchange_weak(before, after));
  return before;
}

unsigned phase_of(void* at) {
  const std::atomic_ref<unsigned long long> word(*static_cast<unsigned long long*>(at));
  return static_cast<unsigned>(Mbarrier::of(word.load()).phase);
}

}  // namespace

bool BlockRunner::Block::is_own_shared(const void* at) const {
  const auto holds = [&](std::span<const std::byte> memory) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(at) - memory.data()) <
           memory.size();
  };
  return holds(
             {static_cast<const std::byte*>(state_.dynamic_shared), state_.dynamic_shared_bytes}) ||
         holds(thread_local_memory_of(reinterpret_cast<const void*>(entry_)));
}

void BlockRunner::Block::complete_copy(CopyInFlight& flight) {
  const kernelbatch_host::AsyncCopy& copy = flight.copy;
  const bool is_late = !flight.has_landed;
  AsyncCopies::land(flight);
  for (unsigned k = 0; k < flight.checks; ++k)
    checks_->end_copy(flight.check + k, copy.barrier == nullptr);
  if (is_late && copy.kind == kernelbatch_host::kCopyBulk && copy.barrier != nullptr)
    update(copy.barrier, kernelbatch_host::kMbarrierComplete, copy.bytes);
}

/// Checks a contiguous part of a copy, which is in flight from now on.
void BlockRunner::Block::check_copy(CopyInFlight& flight, const kernelbatch_host::AsyncCopy& part,
                                    const void* place) {
  const std::uint64_t number = checks_->begin_copy(state_.linear_thread, part, place);
  if (number == 0) return;
  if (flight.checks++ == 0) flight.check = number;
}

void BlockRunner::Block::begin_copy(const kernelbatch_host::AsyncCopy& copy, const void* place) {
  CopyInFlight flight{.copy = copy, .thread = state_.linear_thread};
  if (checks_ != nullptr) {
    place = user_place(place);
    for (const void* address : {copy.from, static_cast<const void*>(copy.to)})
      if (number_of(address) % copy.alignment != 0 || copy.bytes % copy.alignment != 0)
        misaligned(address, copy.alignment, place);
    if (copy.copied > 0) access(copy.from, copy.copied, kAccessReads | kAccessAnyPlace, place);
    if (copy.bytes > 0) access(copy.to, copy.bytes, kAccessWrites | kAccessAnyPlace, place);
    check_copy(flight, copy, place);
  }
  begin_flight(std::move(flight), place);
}

unsigned long BlockRunner::Block::begin_tensor_copy(const kernelbatch_host::TensorCopy& copy,
                                                    const char** error, const void* place) {
  *error = TensorBox::error_of(copy);
  if (*error != nullptr) return 0;
  CopyInFlight flight{.copy = {.kind = copy.kind, .barrier = copy.barrier, .round = copy.round},
                      .thread = state_.linear_thread,
                      .box = std::make_unique<const TensorBox>(copy)};
  const std::size_t bytes = flight.copy.bytes = flight.box->bytes();
  if (checks_ != nullptr) {
    place = user_place(place);
    check_box(flight, place);
  }
  begin_flight(std::move(flight), place);
  return bytes;
}

/// Checks a tensor's box row by row.
void BlockRunner::Block::check_box(CopyInFlight& flight, const void* place) {
  const TensorBox& box = *flight.box;
  constexpr std::size_t kAlignment = 128;
  if (number_of(box.shared()) % kAlignment != 0) misaligned(box.shared(), kAlignment, place);
  const unsigned in_global = box.is_load()        ? kAccessReads
                             : box.is_reduction() ? kAccessReads | kAccessWrites | kAccessAtomic
                                                  : kAccessWrites;
  for (const TensorBox::Row& row : box.rows()) {
    char* const shared = box.shared() + row.offset;
    if (row.inside > 0) access(row.global, row.inside, in_global | kAccessAnyPlace, place);
    if (box.is_load()) {
      access(shared, box.pitch(), kAccessWrites | kAccessAnyPlace, place);
      check_copy(flight,
                 {.to = shared, .from = row.global, .bytes = box.pitch(), .copied = row.inside},
                 place);
    } else if (row.inside > 0) {
      box.for_pieces(row, row.skipped, row.skipped + row.inside,
                     [&](const char* at, std::size_t, std::size_t bytes) {
                       access(at, bytes, kAccessReads | kAccessAnyPlace, place);
                     });
      check_copy(flight,
                 {.to = row.global, .from = shared, .bytes = row.inside, .copied = box.pitch()},
                 place);
    }
  }
}

void BlockRunner::Block::begin_flight(CopyInFlight flight, const void* place) {
  const kernelbatch_host::AsyncCopy copy = flight.copy;
  const bool has_mbarrier = copy.kind == kernelbatch_host::kCopyBulk && copy.barrier != nullptr;
  if (checks_ != nullptr) {
    if (has_mbarrier) flight.copy.round = phase_of(copy.barrier);
  } else if (!has_mbarrier || is_own_shared(copy.barrier)) {
    copies_.add(std::move(flight));
    return;
  }
  // Another block's barrier: its threads cannot complete copies of this block.
  AsyncCopies::land(flight);
  if (has_mbarrier) mbarrier(kernelbatch_host::kMbarrierComplete, copy.barrier, copy.bytes, place);
  if (checks_ != nullptr) copies_.add(std::move(flight));
}

void BlockRunner::Block::wait_copies(unsigned prior, int kind, bool of_sources) {
  if (of_sources) {
    copies_.for_each(state_.linear_thread, prior, [&](CopyInFlight& each) {
      if (checks_ == nullptr)
        AsyncCopies::read_source(each);
      else
        for (unsigned k = 0; k < each.checks; ++k) checks_->end_source(each.check + k);
    });
    return;
  }
  copies_.wait(state_.linear_thread, kind, prior, [&](CopyInFlight& each) { complete_copy(each); });
}

void BlockRunner::Block::bind_copies(void* barrier, unsigned round, bool is_mbarrier, bool arrives,
                                     const void* place) {
  if (is_mbarrier && checks_ != nullptr) round = phase_of(barrier);
  copies_.bind(state_.linear_thread, barrier, round, arrives && checks_ == nullptr);
  if (arrives && checks_ != nullptr) mbarrier(kernelbatch_host::kMbarrierArrive, barrier, 1, place);
}

void BlockRunner::Block::receive_copies(void* barrier, unsigned round, bool has_passed) {
  if (copies_.empty() || (checks_ != nullptr && !has_passed)) return;
  copies_.wait_at(
      barrier, [&](unsigned begun) { return checks_ == nullptr || begun != round; },
      [&](CopyInFlight& each) { complete_copy(each); },
      [&] { update(barrier, kernelbatch_host::kMbarrierArrive, 1); });
}

unsigned long long BlockRunner::Block::mbarrier(int action, void* at, unsigned long long value,
                                                const void* place) {
  using enum kernelbatch_host::MbarrierAction;
  const bool is_test = action == kMbarrierTest || action == kMbarrierTestParity;
  if (checks_ != nullptr) {
    place = user_place(place);
    if (action == kMbarrierInit) access(at, 8, kAccessWrites, place);
    if (action != kMbarrierInit && !is_test)
      access(at, 8, kAccessReads | kAccessWrites | kAccessAtomic | kAccessReleases, place);
  }
  if (!is_test) return update(at, action, value);
  receive_copies(at, 0, false);
  const unsigned now = phase_of(at);
  const bool has_passed = action == kMbarrierTest ? now != value >> 62 : (now & 1) != (value & 1);
  if (has_passed && checks_ != nullptr) {
    access(at, 8, kAccessReads | kAccessAtomic | kAccessAcquires, place);
    receive_copies(at, now, true);
  }
  if (!has_passed) {
    if (checks_ != nullptr) spin(place);
    yield();
  }
  return has_passed ? 1 : 0;
}

}  // namespace kernelbatch::host
