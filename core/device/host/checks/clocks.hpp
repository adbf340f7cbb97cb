// Order of the accesses of a grid's threads: by barriers, warp operations, and by fences with
// atomic or volatile accesses. Running blocks one after the other does not order them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/device/host/checks/shadow.hpp"

namespace kernelbatch::host {

/// How far a fence or an atomic operation reaches.
enum class Scope : std::uint8_t { kBlock, kDevice };

using Clocks = std::vector<std::uint32_t>;

class Publication;

/// The first `entries` entries of a publication.
struct Seen {
  const Publication* from = nullptr;
  std::size_t entries = 0;
};

/// Published state of one thread: all accesses up to these moments.
struct Published {
  std::uint64_t block = 0;
  Scope scope = Scope::kDevice;
  std::shared_ptr<const Clocks> of_block;  ///< by thread of the block; null: none
  std::shared_ptr<const Clocks> of_warp;   ///< by lane of the thread's warp; null: none
  unsigned thread = 0;
  std::uint32_t clock = 0;  ///< of the thread itself
  bool knows(unsigned other, std::uint32_t moment) const noexcept;
};

/// A word that threads use for synchronisation: a ticket, a flag, a lock. Entries are kept in
/// order, since a thread that reads the word later has seen all earlier ones.
class Publication {
 public:
  void add(Published entry, const std::vector<Seen>& seen);
  std::size_t entries() const noexcept { return entries_.size(); }
  /// True if the first `count` entries contain that access, directly or through what their threads
  /// had seen.
  bool covers(std::size_t count, Moment access, std::uint64_t reader_block) const;

 private:
  bool search(std::size_t count, Moment access, std::uint64_t reader_block,
              std::map<const Publication*, std::size_t>& visited) const;

  std::vector<Published> entries_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_block_;  ///< entries of each
  struct Link {
    std::size_t entry;
    Seen seen;
  };
  std::vector<Link> links_;  ///< to publications that their threads had seen
};

/// The clocks of the threads of one block.
class BlockClocks {
 public:
  void begin(std::uint64_t block, unsigned threads);

  Moment now(unsigned thread) const noexcept { return Moment::of(block_, thread, clock_[thread]); }
  /// True if an access happened before all later actions of `thread`.
  bool ordered(Moment access, unsigned thread) const;

  /// All threads of the block that have not ended, at __syncthreads().
  void pass_barrier();
  /// The lanes of `mask`, at a warp operation.
  void pass_warp(unsigned warp, unsigned mask);
  void fence(unsigned thread, Scope scope);
  /// A strong write to the word, after a fence or as a release.
  void publish(unsigned thread, Publication& word, bool is_release);
  /// A strong read of the word, which counts as an acquire.
  void observe(unsigned thread, const Publication& word);

 private:
  struct Fence {
    std::shared_ptr<const Clocks> of_block, of_warp;
    std::uint32_t clock = 0;  ///< 0: no fence
    Scope scope = Scope::kDevice;
    std::vector<Seen> seen;
    const Publication* told = nullptr;  ///< last publication target
  };
  std::shared_ptr<const Clocks> barrier_clocks();
  std::shared_ptr<const Clocks> warp_clocks(unsigned thread) const;
  void tick(unsigned thread) noexcept { ++clock_[thread]; }
  static void add_seen(std::vector<Seen>& list, const Seen& seen);

  std::uint64_t block_ = 0;
  unsigned threads_ = 0;
  Clocks clock_;       ///< of each thread; begins at 1
  Clocks at_barrier_;  ///< of each thread, when it came to the last barrier of the block
  std::shared_ptr<const Clocks> shared_at_barrier_;  ///< the same, for others to keep
  Clocks lanes_;  ///< each thread's view of the 32 lanes of its warp
  bool has_lanes_ = false;
  std::vector<Fence> fences_;
  std::vector<unsigned> fenced_;  ///< threads that have fenced since the last barrier
  std::shared_ptr<const Clocks> fenced_at_barrier_;  ///< fences ordered before the whole block
  Scope fenced_scope_ = Scope::kDevice;
  /// Last published state by publication, to avoid publishing it again.
  std::unordered_map<const Publication*, const Clocks*> told_;
  std::vector<Seen> seen_by_all_;        ///< of the block, at its last barrier
  std::vector<std::vector<Seen>> seen_;  ///< of each thread, since
  std::vector<unsigned> observers_;      ///< threads that have observed something since
};

}  // namespace kernelbatch::host
