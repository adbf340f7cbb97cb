// Which accesses of a grid's threads are ordered: by barriers, warp operations, and by fences with
// atomic or volatile accesses. Blocks are never ordered by running one after the other.
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

/// So many of the first entries of a publication.
struct Seen {
  const Publication* from = nullptr;
  std::size_t entries = 0;
};

/// What one thread made known: all accesses up to these moments.
struct Published {
  std::uint64_t block = 0;
  Scope scope = Scope::kDevice;
  std::shared_ptr<const Clocks> of_block;  ///< by thread of the block; null: nobody's
  std::shared_ptr<const Clocks> of_warp;   ///< by lane of the thread's warp; null: nobody's
  unsigned thread = 0;
  std::uint32_t clock = 0;  ///< of the thread itself
  bool knows(unsigned other, std::uint32_t moment) const noexcept;
};

/// A word through which threads tell each other how far they are: a ticket, a flag, a lock. What
/// was published is kept in its order, since who reads the word later knows all that came before.
class Publication {
 public:
  void add(Published entry, const std::vector<Seen>& seen);
  std::size_t entries() const noexcept { return entries_.size(); }
  /// Whether its first `count` entries tell of that access, by themselves or by what their threads
  /// had seen.
  bool tells(std::size_t count, Moment access, std::uint64_t reader_block) const;

 private:
  bool search(std::size_t count, Moment access, std::uint64_t reader_block,
              std::map<const Publication*, std::size_t>& visited) const;

  std::vector<Published> entries_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_block_;  ///< entries of each
  struct Link {
    std::size_t entry;
    Seen seen;
  };
  std::vector<Link> links_;  ///< of what their threads had seen
};

/// The clocks of the threads of one block.
class BlockClocks {
 public:
  void begin(std::uint64_t block, unsigned threads);

  Moment now(unsigned thread) const noexcept { return Moment::of(block_, thread, clock_[thread]); }
  /// Whether an access happened before everything that `thread` does from now on.
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
    const Publication* told = nullptr;  ///< where it was published last
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
  Clocks lanes_;  ///< what each thread knows of the 32 lanes of its warp
  bool has_lanes_ = false;
  std::vector<Fence> fences_;
  std::vector<unsigned> fenced_;  ///< threads that have fenced since the last barrier
  std::shared_ptr<const Clocks> fenced_at_barrier_;  ///< whose fences all of the block came after
  Scope fenced_scope_ = Scope::kDevice;
  /// What was published last where, so that it is not published again.
  std::unordered_map<const Publication*, const Clocks*> told_;
  std::vector<Seen> seen_by_all_;        ///< of the block, at its last barrier
  std::vector<std::vector<Seen>> seen_;  ///< of each thread, since
  std::vector<unsigned> observers_;      ///< threads that have seen something since
};

}  // namespace kernelbatch::host
