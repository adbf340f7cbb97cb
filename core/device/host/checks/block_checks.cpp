#include "core/device/host/checks/block_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/text.hpp"

namespace kernelbatch::host {
namespace {

using kernelbatch_host::kAccessAnyPlace;
using kernelbatch_host::kAccessAtomic;
using kernelbatch_host::kAccessBlockScope;
using kernelbatch_host::kAccessGuess;
using kernelbatch_host::kAccessReads;
using kernelbatch_host::kAccessReleases;
using kernelbatch_host::kAccessVolatile;
using kernelbatch_host::kAccessWrites;

/// Accesses of these blocks are counted: the first ones of a launch.
constexpr std::uint64_t kCountedBlocks = 16;

/// After this number of invalid reads at one place, a thread ends at the next one.
constexpr unsigned kMostOutside = 1000;

/// True if only this thread has accessed the word.
bool is_alone(const Word& word, Moment now) noexcept {
  const auto is_own = [&](Moment other) {
    return !other.is_somebody() || other.is_of_same_thread(now);
  };
  return is_own(word.writer) && is_own(word.reader[0]) && is_own(word.reader[1]);
}

}  // namespace

BlockChecks::~BlockChecks() {
  const std::lock_guard turn(checker_.turn());
  for (const Region* region : own_) checker_.remove_region(*region);
}

void BlockChecks::set_shared(std::span<std::byte> dynamic_shared, const void* code) {
  const std::uintptr_t begin = number_of(dynamic_shared.data());
  if (code == code_ && libraries_ == checker_.libraries_seen() && begin == dynamic_begin_ &&
      dynamic_shared.size() == dynamic_bytes_) {
    for (Region* region : own_) region->forget(true);
    return;
  }
  for (const Region* region : own_) checker_.remove_region(*region);
  own_.clear();
  code_ = code;
  libraries_ = checker_.libraries_seen();
  dynamic_begin_ = begin;
  dynamic_bytes_ = dynamic_shared.size();
  const auto add = [&](const void* memory, std::size_t bytes, Region::Kind kind,
                       const std::string& name) {
    auto region = std::make_unique<Region>(memory, bytes, kind);
    region->name = name;
    region->loses_values = true;
    region->begins_without_values = checker_.looks_for(CheckKind::kInit);
    own_.push_back(&checker_.add_region(std::move(region)));
  };
  if (!dynamic_shared.empty())
    add(dynamic_shared.data(), dynamic_shared.size(), Region::Kind::kShared,
        "dynamic shared memory");
  for (const auto& [variable, address] : checker_.thread_locals_of(code))
    add(reinterpret_cast<const void*>(address), variable.bytes,
        variable.name.starts_with(kPointerMark) ? Region::Kind::kUnchecked : Region::Kind::kShared,
        variable.name);
}

void BlockChecks::begin(const LaunchShape& shape, const Dim3& block,
                        std::span<std::byte> dynamic_shared, const void* code) {
  shape_ = shape;
  block_ = block;
  number_ =
      block.x + std::uint64_t{shape.grid.x} * (block.y + std::uint64_t{shape.grid.y} * block.z);
  is_broken_ = false;
  barrier_place_ = nullptr;
  warp_places_.fill(nullptr);
  const auto threads = static_cast<unsigned>(shape.block.count());
  waits_at_.assign(threads, nullptr);
  clocks_.begin(number_, threads);
  copies_.clear();
  copied_words_.clear();
  set_shared(dynamic_shared, code);
  // Kernels that are made for the CPU have blocks of one thread.
  is_counted_ = number_ < kCountedBlocks && threads > 1;
  if (!is_counted_) return;
  counts_.begin_block();
  ++checker_.counts().blocks;
}

void BlockChecks::ignore(const void* memory, std::size_t bytes) {
  const std::uintptr_t begin = number_of(memory);
  const auto same = std::ranges::find(ignored_, begin, &Range::begin);
  if (same != ignored_.end())
    same->bytes = std::max(same->bytes, bytes);
  else
    ignored_.push_back({begin, bytes});
}

Range BlockChecks::ignored_at(std::uintptr_t address) const noexcept {
  for (const Range& range : ignored_)
    if (range.holds(address)) return range;
  return checker_.ignored_at(address);
}

ThreadPlace BlockChecks::place_of_thread(unsigned thread) const noexcept {
  const Dim3& of = shape_.block;
  return {{thread % of.x, thread / of.x % of.y, thread / of.x / of.y}, block_};
}

ThreadPlace BlockChecks::place_of(Moment moment) const noexcept {
  ThreadPlace place = place_of_thread(moment.thread());
  const std::uint32_t block = moment.block();
  const Dim3& of = shape_.grid;
  place.block = {block % of.x, block / of.x % of.y, block / of.x / of.y};
  return place;
}

bool BlockChecks::access(unsigned thread, const void* address, std::size_t bytes, unsigned flags,
                         Site& site) {
  const std::uintptr_t at = number_of(address);
  const void* const place = site.place;
  Region* region = site.region;
  if (site.layout != checker_.layout() || region == nullptr || !region->holds(at)) {
    if (site.layout == checker_.layout() && site.ignored.holds(at)) return true;
    site.layout = checker_.layout();
    site.ignored = ignored_at(at);
    if (site.ignored.bytes > 0) return true;
    region = checker_.region_of(at);
    if (region == nullptr) {
      ++site.outside;
      return outside(thread, at, bytes, flags, place) && site.outside < kMostOutside;
    }
    site.region = region;
  }
  const std::uint16_t number = site.number;
  if (region->kind == Region::Kind::kUnchecked) return true;
  const bool is_inside = at + bytes <= region->begin() + region->bytes();
  if (is_inside && (flags & kAccessGuess) != 0) return true;
  finish_pending();
  if (!copies_.empty() && meets_copy(thread, *region, at, bytes, flags, place)) return true;
  if (!is_inside) return outside(thread, at, bytes, flags, place);
  const bool writes = (flags & kAccessWrites) != 0;
  if (writes && region->is_read_only) {
    checker_.report(Fault::kInput, action(thread, place), nullptr, [&](KernelFinding& finding) {
      finding.what = fmt::format("writes {}, which is an input",
                                 checker_.name_of(*region, at, bytes, finding));
    });
    is_broken_ = true;
    return false;
  }
  if ((flags & kAccessAnyPlace) == 0 && std::has_single_bit(bytes) && at % bytes != 0) {
    misaligned(thread, address, bytes, place);
    return false;
  }
  if (is_counted_)
    counts_.add(thread, number, at, bytes, region->kind == Region::Kind::kShared,
                checker_.counts());
  // A volatile access counts as atomic, except a volatile write to shared memory: old code uses
  // these for warp sums, which is correct only on GPUs whose warps run in step.
  if ((flags & kAccessVolatile) != 0 && !(writes && region->kind == Region::Kind::kShared))
    flags |= kAccessAtomic;
  const bool is_atomic = (flags & kAccessAtomic) != 0;
  const bool looks_for_races = checker_.looks_for(CheckKind::kRace);
  if (is_atomic && (flags & kAccessReads) != 0)
    if (const Publication* word = checker_.find_publication(at)) clocks_.observe(thread, *word);
  bool is_unset = false;
  const Moment now = clocks_.now(thread);
  for (std::uintptr_t word_at = at / Word::kBytes * Word::kBytes; word_at < at + bytes;
       word_at += Word::kBytes) {
    Word& word = region->word_of(std::max(word_at, at));
    const unsigned from = static_cast<unsigned>(std::max(word_at, at) - word_at);
    const unsigned to =
        static_cast<unsigned>(std::min(word_at + Word::kBytes, at + bytes) - word_at);
    const unsigned mask = (15u >> (4 - to)) & (15u << from);
    if ((flags & kAccessReads) != 0 && (word.has_value & mask) != mask) is_unset = true;
    if (looks_for_races && !is_alone(word, now)) {
      const auto conflicts = [&](Moment other, Access of) {
        if (!other.is_somebody() || (of.bytes & mask) == 0) return false;
        const bool is_own_block = other.block() == (number_ & Moment::kBlockMask);
        if (is_atomic && of.atomic != 0 &&
            (is_own_block || ((flags & kAccessBlockScope) == 0 && of.block_scope == 0)))
          return false;
        return !clocks_.ordered(other, thread);
      };
      if (conflicts(word.writer, word.write))
        race(thread, *region, at, bytes, flags, place, word.writer, word.write, true);
      else if (writes)
        for (int k = 0; k < 2; ++k)
          if (conflicts(word.reader[k], word.read[k])) {
            race(thread, *region, at, bytes, flags, place, word.reader[k], word.read[k], false);
            break;
          }
    }
    if (looks_for_races) touch(word, now, thread, number, mask, flags);
    if (writes) word.has_value = (word.has_value | mask) & 15u;
  }
  // A text may leave an output unchanged: then its previous value is read and written again.
  // Missing writes of a thread that ended early were already reported.
  if (is_unset && !is_broken_ && !checker_.is_generated(place))
    checker_.report(Fault::kNoValue, action(thread, place), nullptr, [&](KernelFinding& finding) {
      finding.what = fmt::format("reads {}, which is uninitialized",
                                 checker_.name_of(*region, at, bytes, finding));
    });
  if (is_atomic && writes)
    clocks_.publish(thread, checker_.publication_of(at), (flags & kAccessReleases) != 0);
  return true;
}

void BlockChecks::touch(Word& word, Moment now, unsigned thread, std::uint16_t site, unsigned mask,
                        unsigned flags) {
  Access made{};
  made.site = site & 1023u;
  made.bytes = mask & 15u;
  made.atomic = (flags & kAccessAtomic) != 0;
  made.block_scope = (flags & kAccessBlockScope) != 0;
  if ((flags & kAccessWrites) != 0) {
    // A plain write and an atomic one with nothing between: any access that conflicts with one
    // conflicts with the other.
    if (word.writer.bits == now.bits) {
      made.bytes = (made.bytes | word.write.bytes) & 15u;
      if (word.write.atomic == 0 && made.atomic != 0) {
        made.atomic = 0;
        made.site = word.write.site;
      }
    }
    word.writer = now;
    word.write = made;
    return;
  }
  // A read that is ordered before this one adds no information.
  for (int k = 0; k < 2; ++k) {
    Moment& other = word.reader[k];
    if (other.is_somebody() && !other.is_of_same_thread(now) && !clocks_.ordered(other, thread))
      continue;
    if (other.bits == now.bits) made.bytes = (made.bytes | word.read[k].bytes) & 15u;
    other = now;
    word.read[k] = made;
    return;
  }
  // Keep two of three unordered reads that are far apart: in different blocks or warps.
  const auto distance = [](Moment a, Moment b) {
    return a.block() != b.block() ? 2 : a.thread() / kWarp != b.thread() / kWarp ? 1 : 0;
  };
  if (distance(word.reader[0], now) <= distance(word.reader[0], word.reader[1])) return;
  word.reader[1] = now;
  word.read[1] = made;
}

}  // namespace kernelbatch::host
