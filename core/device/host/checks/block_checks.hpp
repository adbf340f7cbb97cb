// The checks of one block while it runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/device/host/checks/access_counts.hpp"
#include "core/device/host/checks/checker.hpp"
#include "core/device/host/cuda/kernelbatch/host_abi.hpp"

namespace kernelbatch::host {

/// Receives all actions of the block's threads, in the order in which the host runs them.
class BlockChecks {
 public:
  explicit BlockChecks(Checker& checker) : checker_(checker) {}
  ~BlockChecks();

  Checker& checker() noexcept { return checker_; }

  void begin(const LaunchShape& shape, const Dim3& block, std::span<std::byte> dynamic_shared,
             const void* code);
  /// Excludes memory from checks: stacks, arguments of kernels.
  void ignore(const void* memory, std::size_t bytes);

  /// Call before an access; `flags` are those of kernelbatch_host::AccessFlag. Returns false if the
  /// thread must end here, since the access would corrupt memory.
  bool access(unsigned thread, const void* address, std::size_t bytes, unsigned flags, Site& site);
  /// An index outside an array whose size is declared in the text.
  void index_outside(unsigned thread, long long index, const void* place);
  void misaligned(unsigned thread, const void* address, std::size_t alignment, const void* place);
  void product_in_flight(unsigned thread, const void* place);
  void fence(unsigned thread, bool is_block_scope);

  void come_to_barrier(unsigned thread, const void* place);
  /// All living threads have arrived; `ended` of the block's threads have ended and never will, for
  /// example `one`.
  void pass_barrier(unsigned ended, unsigned one);
  void come_to_warp(unsigned thread, unsigned mask, const void* place);
  /// `ended`: lanes whose threads have ended.
  void pass_warp(unsigned warp, unsigned arrived, unsigned mask, unsigned ended);
  /// Barriers of some threads of the block, or of several blocks: each thread publishes its actions
  /// on arrival, and on leaving observes those that the others published in this round.
  void arrive(unsigned thread, const void* barrier, std::uint64_t round);
  void leave(unsigned thread, const void* barrier, std::uint64_t round);
  /// A copy begins, after its accesses. Returns its number, 0 if races are not checked.
  std::uint64_t begin_copy(unsigned thread, const kernelbatch_host::AsyncCopy& copy,
                           const void* place);
  /// The copy is complete: for its own thread, or for those that observe a barrier.
  void end_copy(std::uint64_t number, bool is_of_thread);
  /// The copy has read its source.
  void end_source(std::uint64_t number);
  /// No thread can continue; `waiting` is one of the waiting threads.
  void deadlock(unsigned waiting, const std::string& what);
  /// The thread reads a flag repeatedly, and no thread writes any more.
  void wait_for_ever(unsigned thread, const void* place);
  /// The running thread yields to another one, or ends.
  void finish_pending();
  /// A thread ended early, so missing actions of it are not reported as faults of others.
  bool is_broken() const noexcept { return is_broken_; }

 private:
  void race(unsigned thread, const Region& region, std::uintptr_t address, std::size_t bytes,
            unsigned flags, const void* place, Moment other, Access access, bool other_writes);
  void report_race(const Action& here, std::uintptr_t address, std::size_t bytes,
                   const Region& region, unsigned flags, Moment other, Access access,
                   bool other_writes, bool is_harmless);
  bool meets_copy(unsigned thread, const Region& region, std::uintptr_t address, std::size_t bytes,
                  unsigned flags, const void* place);
  void forget_words(std::uintptr_t at, std::size_t bytes, std::uint64_t number);
  bool outside(unsigned thread, std::uintptr_t address, std::size_t bytes, unsigned flags,
               const void* place);
  Range ignored_at(std::uintptr_t address) const noexcept;
  void touch(Word& word, Moment now, unsigned thread, std::uint16_t site, unsigned mask,
             unsigned flags);
  ThreadPlace place_of_thread(unsigned thread) const noexcept;
  ThreadPlace place_of(Moment moment) const noexcept;
  Action action(unsigned thread, const void* place) const noexcept {
    return {place_of_thread(thread), place};
  }
  void set_shared(std::span<std::byte> dynamic_shared, const void* code);

  Checker& checker_;
  AccessCounts counts_;
  bool is_counted_ = false;
  BlockClocks clocks_;
  LaunchShape shape_;
  Dim3 block_;
  std::uint64_t number_ = 0;
  bool is_broken_ = false;
  const void* code_ = nullptr;
  std::uint64_t libraries_ = 0;
  std::vector<Region*> own_;  ///< shared memory of this block
  std::uintptr_t dynamic_begin_ = 0;
  std::size_t dynamic_bytes_ = 0;
  std::vector<Range> ignored_;
  const void* barrier_place_ = nullptr;
  unsigned barrier_thread_ = 0;
  std::array<const void*, 32> warp_places_{};  ///< by warp: the place where one of its lanes waits
  std::vector<const void*> waits_at_;          ///< by thread
  struct Copy {
    std::uintptr_t to, from;
    std::size_t bytes, from_bytes;
    unsigned thread;
    const void* place;
    bool is_product;  ///< of matrices: only reads
  };
  std::unordered_map<std::uint64_t, Copy> copies_;                       ///< in flight
  std::unordered_multimap<std::uintptr_t, std::uint64_t> copied_words_;  ///< copies by 64 bytes
  std::uint64_t copies_begun_ = 0;
  struct Pending {
    bool is_there = false;
    Action here;
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    unsigned flags = 0;
    const Region* region = nullptr;
    Moment other;
    Access access{};
    std::array<std::byte, 16> value{};
  } pending_;
};

}  // namespace kernelbatch::host
