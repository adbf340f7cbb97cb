// Findings about single accesses: races, and wrong addresses.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "core/base/text.hpp"
#include "core/device/host/checks/block_checks.hpp"

namespace kernelbatch::host {
namespace {

using kernelbatch_host::kAccessAtomic;
using kernelbatch_host::kAccessReads;
using kernelbatch_host::kAccessWrites;

bool is_mapped(std::uintptr_t address) noexcept {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  unsigned char resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

const char* verb(unsigned flags) noexcept {
  constexpr unsigned kBoth = kAccessReads | kAccessWrites;
  if ((flags & kAccessAtomic) != 0 && (flags & kBoth) == kBoth) return "updates";
  return (flags & kAccessWrites) != 0 ? "writes" : "reads";
}

}  // namespace

void BlockChecks::race(unsigned thread, const Region& region, std::uintptr_t address,
                       std::size_t bytes, unsigned flags, const void* place, Moment other,
                       Access access, bool other_writes) {
  const Action here = action(thread, place);
  const bool both_write = other_writes && (flags & kAccessWrites) != 0 &&
                          (flags & kAccessAtomic) == 0 && access.atomic == 0;
  if (!both_write || bytes > pending_.value.size()) {
    report_race(here, address, bytes, region, flags, other, access, other_writes, false);
    return;
  }
  // Whether the value is the same is known only after the write.
  if (pending_.is_there) return;
  pending_ = {true, here, address, bytes, flags, &region, other, access, {}};
  std::memcpy(pending_.value.data(), reinterpret_cast<const void*>(address), bytes);
}

void BlockChecks::finish_pending() {
  if (!pending_.is_there) return;
  pending_.is_there = false;
  const bool is_same =
      std::memcmp(pending_.value.data(), reinterpret_cast<const void*>(pending_.address),
                  pending_.bytes) == 0;
  report_race(pending_.here, pending_.address, pending_.bytes, *pending_.region, pending_.flags,
              pending_.other, pending_.access, true, is_same);
}

void BlockChecks::report_race(const Action& here, std::uintptr_t address, std::size_t bytes,
                              const Region& region, unsigned flags, Moment other, Access access,
                              bool other_writes, bool is_harmless) {
  const void* const other_place = checker_.place_of(access.site);
  checker_.report(
      is_harmless ? Fault::kSameValue : Fault::kRace, here, other_place,
      [&](KernelFinding& finding) {
        finding.has_other = true;
        finding.other = place_of(other);
        const bool is_same_block = other.block() == (number_ & Moment::kBlockMask);
        const Dim3& t = finding.thread.thread;
        const unsigned own = t.x + shape_.block.x * (t.y + shape_.block.y * t.z);
        const bool is_same_warp = is_same_block && own / kWarp == other.thread() / kWarp;
        const char* const does = access.atomic != 0 ? "updates" : other_writes ? "writes" : "reads";
        std::string why = is_same_warp    ? "with no __syncwarp() or barrier between"
                          : is_same_block ? "with no barrier between"
                                          : "and nothing orders the two blocks";
        if (is_harmless) why += "; both write the same value";
        const bool is_one_atomic = ((flags & kAccessAtomic) != 0) != (access.atomic != 0);
        if (is_one_atomic)
          why += "; only one of them is atomic or volatile";
        else if (access.atomic != 0)
          why += "; they are atomic within a block only";
        finding.what = fmt::format("{} {}, which thread {}{} {} at {}, {}", verb(flags),
                                   checker_.name_of(region, address, bytes, finding),
                                   to_text(finding.other.thread),
                                   is_same_block ? "" : " of block " + to_text(finding.other.block),
                                   does, to_text(finding.other_place), why);
      });
}

bool BlockChecks::outside(unsigned thread, std::uintptr_t address, std::size_t bytes,
                          unsigned flags, const void* place) {
  finish_pending();
  checker_.report(Fault::kOutside, action(thread, place), nullptr, [&](KernelFinding& finding) {
    finding.what = fmt::format("{} {}", verb(flags), checker_.place_near(address, bytes, finding));
  });
  // A write would change memory outside the arrays.
  if ((flags & kAccessWrites) == 0 && is_mapped(address) && is_mapped(address + bytes - 1))
    return true;
  is_broken_ = true;
  return false;
}

void BlockChecks::index_outside(unsigned thread, long long index, const void* place) {
  finish_pending();
  is_broken_ = true;
  checker_.report(Fault::kIndex, action(thread, place), nullptr, [&](KernelFinding& finding) {
    finding.element = index;
    finding.what = fmt::format("uses the index {}, which is outside of its array", index);
  });
}

void BlockChecks::misaligned(unsigned thread, const void* address, std::size_t alignment,
                             const void* place) {
  is_broken_ = true;
  checker_.report(Fault::kMisaligned, action(thread, place), nullptr, [&](KernelFinding& finding) {
    const std::uintptr_t at = number_of(address);
    const Region* const region = checker_.region_of(at);
    finding.what = fmt::format(
        "uses {} as {} bytes at once: the address is no multiple of {}",
        region != nullptr ? checker_.name_of(*region, at, 1, finding) : fmt::format("{:#x}", at),
        alignment, alignment);
  });
}

}  // namespace kernelbatch::host
