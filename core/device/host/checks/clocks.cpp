#include "core/device/host/checks/clocks.hpp"

#include <algorithm>
#include <utility>

namespace kernelbatch::host {
namespace {

std::uint32_t masked(std::uint64_t block) {
  return static_cast<std::uint32_t>(block & Moment::kBlockMask);
}

}  // namespace

bool Published::knows(unsigned other, std::uint32_t moment) const noexcept {
  if (other == thread && moment <= clock) return true;
  if (of_block != nullptr && other < of_block->size() && moment <= (*of_block)[other]) return true;
  return of_warp != nullptr && other / kWarp == thread / kWarp &&
         moment <= (*of_warp)[other % kWarp];
}

void Publication::add(Published entry, const std::vector<Seen>& seen) {
  for (const Seen& each : seen)
    // Any thread that sees this entry has seen the earlier ones here.
    if (each.from != this) links_.push_back({entries_.size(), each});
  of_block_[masked(entry.block)].push_back(entries_.size());
  entries_.push_back(std::move(entry));
}

bool Publication::covers(std::size_t count, Moment access, std::uint64_t reader_block) const {
  std::map<const Publication*, std::size_t> visited;
  return search(count, access, reader_block, visited);
}

bool Publication::search(std::size_t count, Moment access, std::uint64_t reader_block,
                         std::map<const Publication*, std::size_t>& visited) const {
  std::size_t& seen_before = visited[this];
  if (count <= seen_before) return false;
  seen_before = count;
  if (const auto found = of_block_.find(access.block()); found != of_block_.end())
    for (const std::size_t at : found->second) {
      if (at >= count) break;
      const Published& entry = entries_[at];
      if (entry.scope == Scope::kBlock && masked(entry.block) != masked(reader_block)) continue;
      if (entry.knows(access.thread(), access.clock())) return true;
    }
  for (const Link& link : links_) {
    if (link.entry >= count) break;
    const Published& entry = entries_[link.entry];
    if (entry.scope == Scope::kBlock && masked(entry.block) != masked(reader_block)) continue;
    if (link.seen.from->search(link.seen.entries, access, reader_block, visited)) return true;
  }
  return false;
}

void BlockClocks::begin(std::uint64_t block, unsigned threads) {
  block_ = block;
  threads_ = threads;
  clock_.assign(threads, 1);
  at_barrier_.assign(threads, 0);
  shared_at_barrier_.reset();
  has_lanes_ = false;
  fences_.clear();
  fenced_.clear();
  fenced_at_barrier_.reset();
  told_.clear();
  seen_by_all_.clear();
  for (const unsigned thread : observers_) seen_[thread].clear();
  observers_.clear();
  if (seen_.size() < threads) seen_.resize(threads);
}

bool BlockClocks::ordered(Moment access, unsigned thread) const {
  const bool is_own_block = access.block() == masked(block_);
  const unsigned other = access.thread();
  if (is_own_block) {
    if (other == thread) return true;
    if (other >= threads_) return false;
    if (access.clock() <= at_barrier_[other]) return true;
    if (has_lanes_ && other / kWarp == thread / kWarp &&
        access.clock() <= lanes_[std::size_t{thread} * kWarp + other % kWarp])
      return true;
  }
  const auto covers = [&](const Seen& seen) {
    return seen.from->covers(seen.entries, access, block_);
  };
  return std::ranges::any_of(seen_by_all_, covers) || std::ranges::any_of(seen_[thread], covers);
}

void BlockClocks::pass_barrier() {
  at_barrier_ = clock_;
  shared_at_barrier_.reset();
  for (unsigned thread = 0; thread < threads_; ++thread) tick(thread);
  if (!fenced_.empty()) {
    auto all = fenced_at_barrier_ ? *fenced_at_barrier_ : Clocks(threads_, 0);
    fenced_scope_ = Scope::kDevice;
    for (const unsigned thread : fenced_) {
      all[thread] = fences_[thread].clock;
      if (fences_[thread].scope == Scope::kBlock) fenced_scope_ = Scope::kBlock;
    }
    fenced_at_barrier_ = std::make_shared<const Clocks>(std::move(all));
    fenced_.clear();
  }
  for (const unsigned thread : observers_) {
    for (const Seen& seen : seen_[thread]) add_seen(seen_by_all_, seen);
    seen_[thread].clear();
  }
  observers_.clear();
}

void BlockClocks::pass_warp(unsigned warp, unsigned mask) {
  if (!has_lanes_) {
    lanes_.assign(std::size_t{threads_} * kWarp, 0);
    has_lanes_ = true;
  }
  const unsigned first = warp * kWarp;
  std::uint32_t joined[kWarp] = {};
  std::vector<Seen> seen;
  for (unsigned lane = 0; lane < kWarp && first + lane < threads_; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    const std::uint32_t* const known = &lanes_[std::size_t{first + lane} * kWarp];
    for (unsigned other = 0; other < kWarp; ++other)
      joined[other] = std::max(joined[other], known[other]);
    for (const Seen& each : seen_[first + lane]) add_seen(seen, each);
  }
  for (unsigned lane = 0; lane < kWarp && first + lane < threads_; ++lane)
    if ((mask >> lane & 1u) != 0) joined[lane] = std::max(joined[lane], clock_[first + lane]);
  for (unsigned lane = 0; lane < kWarp && first + lane < threads_; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    std::copy_n(joined, kWarp, &lanes_[std::size_t{first + lane} * kWarp]);
    tick(first + lane);
    if (seen.empty()) continue;
    if (seen_[first + lane].empty()) observers_.push_back(first + lane);
    seen_[first + lane] = seen;
  }
}

std::shared_ptr<const Clocks> BlockClocks::barrier_clocks() {
  if (!shared_at_barrier_) shared_at_barrier_ = std::make_shared<const Clocks>(at_barrier_);
  return shared_at_barrier_;
}

std::shared_ptr<const Clocks> BlockClocks::warp_clocks(unsigned thread) const {
  if (!has_lanes_) return nullptr;
  const auto begin = lanes_.begin() + static_cast<std::ptrdiff_t>(std::size_t{thread} * kWarp);
  return std::make_shared<const Clocks>(begin, begin + kWarp);
}

void BlockClocks::fence(unsigned thread, Scope scope) {
  if (fences_.empty()) fences_.resize(threads_);
  Fence& made = fences_[thread];
  made = {barrier_clocks(), warp_clocks(thread), clock_[thread], scope, seen_by_all_};
  made.seen.insert(made.seen.end(), seen_[thread].begin(), seen_[thread].end());
  fenced_.push_back(thread);
  tick(thread);
}

void BlockClocks::publish(unsigned thread, Publication& word, bool is_release) {
  if (is_release) fence(thread, Scope::kDevice);
  if (fenced_at_barrier_ &&
      std::exchange(told_[&word], fenced_at_barrier_.get()) != fenced_at_barrier_.get())
    word.add({block_, fenced_scope_, fenced_at_barrier_, nullptr, thread, 0}, seen_by_all_);
  if (fences_.empty() || fences_[thread].clock == 0) return;
  Fence& made = fences_[thread];
  if (std::exchange(made.told, &word) == &word) return;
  word.add({block_, made.scope, made.of_block, made.of_warp, thread, made.clock}, made.seen);
}

void BlockClocks::observe(unsigned thread, const Publication& word) {
  if (word.entries() == 0) return;
  if (seen_[thread].empty()) observers_.push_back(thread);
  add_seen(seen_[thread], {&word, word.entries()});
}

void BlockClocks::add_seen(std::vector<Seen>& list, const Seen& seen) {
  const auto known = std::ranges::find(list, seen.from, &Seen::from);
  if (known == list.end())
    list.push_back(seen);
  else
    known->entries = std::max(known->entries, seen.entries);
}

}  // namespace kernelbatch::host
