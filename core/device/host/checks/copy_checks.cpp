// Asynchronous copies that no thread has waited for: accesses of their targets, and writes to their
// sources.
#include <fmt/format.h>

#include <algorithm>

#include "core/device/host/checks/block_checks.hpp"

namespace kernelbatch::host {
namespace {

using kernelbatch_host::kAccessAnyPlace;
using kernelbatch_host::kAccessReads;
using kernelbatch_host::kAccessWrites;

constexpr std::uintptr_t kGranule = 64;

bool overlap(std::uintptr_t a, std::size_t a_bytes, std::uintptr_t b, std::size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

template <class Action>
void for_granules(std::uintptr_t at, std::size_t bytes, const Action& action) {
  if (bytes == 0) return;
  for (std::uintptr_t each = at / kGranule; each <= (at + bytes - 1) / kGranule; ++each)
    action(each);
}

}  // namespace

std::uint64_t BlockChecks::begin_copy(unsigned thread, const kernelbatch_host::AsyncCopy& copy,
                                      const void* place) {
  finish_pending();
  if (!checker_.looks_for(CheckKind::kRace)) return 0;
  const std::uint64_t number = ++copies_begun_;
  const Copy made{number_of(copy.to),
                  number_of(copy.from),
                  copy.bytes,
                  copy.copied,
                  thread,
                  place,
                  copy.kind == kernelbatch_host::kCopyProduct};
  copies_.emplace(number, made);
  const auto add = [&](std::uintptr_t granule) { copied_words_.emplace(granule, number); };
  for_granules(made.to, made.bytes, add);
  for_granules(made.from, made.from_bytes, add);
  return number;
}

void BlockChecks::forget_words(std::uintptr_t at, std::size_t bytes, std::uint64_t number) {
  for_granules(at, bytes, [&](std::uintptr_t granule) {
    auto [first, last] = copied_words_.equal_range(granule);
    while (first != last)
      first = first->second == number ? copied_words_.erase(first) : std::next(first);
  });
}

void BlockChecks::end_source(std::uint64_t number) {
  const auto found = copies_.find(number);
  if (found == copies_.end()) return;
  Copy& copy = found->second;
  forget_words(copy.from, copy.from_bytes, number);
  const std::size_t bytes = std::exchange(copy.from_bytes, 0);
  if (bytes > 0)
    access(copy.thread, reinterpret_cast<const void*>(copy.from), bytes,
           kAccessReads | kAccessAnyPlace, checker_.site_of(copy.place));
}

void BlockChecks::end_copy(std::uint64_t number, bool is_of_thread) {
  const auto found = copies_.find(number);
  if (found == copies_.end()) return;
  const Copy copy = found->second;
  copies_.erase(found);
  forget_words(copy.from, copy.from_bytes, number);
  forget_words(copy.to, copy.bytes, number);
  if (!is_of_thread) return;  // the barrier orders the copy's begin before what follows
  if (copy.from_bytes > 0)
    access(copy.thread, reinterpret_cast<const void*>(copy.from), copy.from_bytes,
           kAccessReads | kAccessAnyPlace, checker_.site_of(copy.place));
  if (copy.bytes > 0)
    access(copy.thread, reinterpret_cast<const void*>(copy.to), copy.bytes,
           kAccessWrites | kAccessAnyPlace, checker_.site_of(copy.place));
}

void BlockChecks::product_in_flight(unsigned thread, const void* place) {
  finish_pending();
  checker_.report(Fault::kProductInFlight, action(thread, place), nullptr,
                  [&](KernelFinding& finding) {
                    finding.what =
                        "reads a register that gets a product of its warp group (wgmma), with no "
                        "wait for the product between";
                  });
}

bool BlockChecks::meets_copy(unsigned thread, const Region& region, std::uintptr_t address,
                             std::size_t bytes, unsigned flags, const void* place) {
  const bool writes = (flags & kAccessWrites) != 0;
  const Copy* met = nullptr;
  bool is_target = false;
  for_granules(address, bytes, [&](std::uintptr_t granule) {
    for (auto [at, last] = copied_words_.equal_range(granule); at != last && met == nullptr; ++at) {
      const Copy& copy = copies_.at(at->second);
      is_target = overlap(address, bytes, copy.to, copy.bytes);
      if (is_target || (writes && overlap(address, bytes, copy.from, copy.from_bytes))) met = &copy;
    }
  });
  if (met == nullptr) return false;
  checker_.report(
      Fault::kCopyInFlight, action(thread, place), met->place, [&](KernelFinding& finding) {
        finding.has_other = true;
        finding.other = place_of_thread(met->thread);
        finding.what = fmt::format(
            "{} {}, the {} of an asynchronous {} that thread {} began at {}, with no wait for "
            "the {} between",
            writes ? "writes" : "reads", checker_.name_of(region, address, bytes, finding),
            is_target ? "target" : "source", met->is_product ? "product" : "copy",
            to_text(finding.other.thread), to_text(finding.other_place),
            met->is_product ? "product" : "copy");
      });
  return true;
}

}  // namespace kernelbatch::host
