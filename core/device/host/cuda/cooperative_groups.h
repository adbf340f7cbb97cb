// Cooperative groups on the host device: blocks, tiles, coalesced groups, partitions.
//
// coalesced_threads() gives the lanes of the warp that come to the call together. Threads of a
// block run one after another here, so a lane waits there until every living lane of its warp has
// come, or until none of the others can go on without it: the lanes that took one branch are one
// group, as on a GPU.
#pragma once

#include "cuda/std/type_traits"
#include "kernelbatch/lanes.hpp"

namespace cooperative_groups {

namespace details {
enum GroupKind : unsigned { kCoalesced = 1, kGrid, kBlock, kMultiTile, kCluster, kMultiGrid };
namespace lanes = ::kernelbatch::lanes;
struct access;

/// The scratch of tiles of more than one warp: each tile's own barrier, and a word per thread.
struct wide_scratch {
  struct {
    unsigned arrived, round;
  } barrier[32];
  unsigned long long value[1024];
};
inline wide_scratch& wide() {
  __shared__ wide_scratch scratch;
  return scratch;
}
inline void wide_sync(unsigned first_warp, unsigned size) {
  auto& at = wide().barrier[first_warp];
  const unsigned left = lanes::threads() - first_warp * 32;
  const unsigned wanted = left < size ? left : size;
  if (at.arrived >= wanted) at.arrived = 0;  // shared memory starts with anything
  const volatile unsigned& round = at.round;
  const unsigned before = round;
  kernelbatch_host::report_arrival(&at, before);
  if (++at.arrived == wanted) {
    at.arrived = 0;
    ++at.round;
  } else {
    while (round == before) __kernelbatch_yield();
  }
  kernelbatch_host::report_leaving(&at, before);
}
}  // namespace details

/// Any group: what kind it is, and the lanes of those within a warp.
class thread_group {
 public:
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const;
  unsigned long long thread_rank() const;
  void sync() const;
  unsigned get_type() const { return kind_; }

 protected:
  friend struct details::access;
  friend thread_group tiled_partition(const thread_group&, unsigned);
  thread_group(unsigned kind, unsigned mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
      : kind_(kind), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  unsigned kind_, mask_, meta_rank_, meta_size_;
};

template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {};

/// All threads of the block.
class thread_block : public thread_group {
 public:
  static constexpr unsigned _group_id = details::kBlock;
  struct arrival_token {};
  thread_block() : thread_group(details::kBlock) {}
  static void sync() { __syncthreads(); }
  /// Nobody waits for those that have only arrived: threads meet in barrier_wait.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { __syncthreads(); }
  static unsigned thread_rank() { return details::lanes::thread(); }
  static unsigned num_threads() { return details::lanes::threads(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 group_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() { return {}; }
template <unsigned MaxBlockSize>
inline thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return {};
}

namespace details {

/// What groups within a warp have in common. `Self` has mask() and number_of(lane).
template <class Self>
class within_warp {
 public:
  void sync() const { __syncwarp(mask()); }
  template <class T>
  T shfl(const T& value, unsigned rank) const {
    return exchange(value, [=](unsigned, unsigned) { return rank; });
  }
  template <class T>
  T shfl_up(const T& value, unsigned distance) const {
    return exchange(value, [=](unsigned own, unsigned) { return own - distance; });
  }
  template <class T>
  T shfl_down(const T& value, unsigned distance) const {
    return exchange(value, [=](unsigned own, unsigned) { return own + distance; });
  }
  int any(int predicate) const { return __ballot_sync(mask(), predicate) != 0; }
  int all(int predicate) const { return __all_sync(mask(), predicate) != 0; }
  /// Bit k is thread k's answer.
  unsigned ballot(int predicate) const { return packed(__ballot_sync(mask(), predicate)); }
  template <class T>
  unsigned match_any(T value) const {
    return packed(__match_any_sync(mask(), value));
  }
  template <class T>
  unsigned match_all(T value, int& is_same) const {
    const unsigned same = __match_any_sync(mask(), value);
    is_same = __all_sync(mask(), same == (mask() & lanes::existing()));
    return is_same ? packed(same) : 0;
  }

 protected:
  unsigned mask() const { return static_cast<const Self*>(this)->_lanes(); }
  unsigned own_rank() const { return unsigned(__popc(mask() & ((1u << lanes::lane()) - 1u))); }
  unsigned packed(unsigned bits) const {
    unsigned result = 0, rank = 0;
    for (unsigned k = 0; k < 32; ++k)
      if ((mask() >> k) & 1u) result |= ((bits >> k) & 1u) << rank++;
    return result;
  }
  /// Source ranks that do not exist give the caller's own value.
  template <class T, class Source>
  T exchange(const T& value, Source source) const {
    lanes::Row<T> row;
    const unsigned own = own_rank();
    const unsigned count = lanes::gather_ranks(mask(), value, row);
    const unsigned from = source(own, count);
    return from < count ? row[from] : value;
  }
};

}  // namespace details

/// Lanes of a warp, whichever.
class coalesced_group : public thread_group, public details::within_warp<coalesced_group> {
  using warp = details::within_warp<coalesced_group>;

 public:
  static constexpr unsigned _group_id = details::kCoalesced;
  using warp::sync;
  unsigned thread_rank() const { return own_rank(); }
  unsigned num_threads() const { return unsigned(__popc(mask_)); }
  unsigned size() const { return num_threads(); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  unsigned _lanes() const { return mask_; }

 private:
  friend struct details::access;
  using thread_group::thread_group;
};

namespace details {
struct access {
  static coalesced_group coalesced(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1) {
    return coalesced_group(kCoalesced, mask, meta_rank, meta_size);
  }
  /// The caller's part of the lanes of `mask` in parts of `size` threads.
  static coalesced_group part(unsigned mask, unsigned size) {
    const unsigned rank = unsigned(__popc(mask & ((1u << lanes::lane()) - 1u)));
    const unsigned first = rank / size * size;
    const unsigned all = unsigned(__popc(mask));
    unsigned part = 0, at = 0;
    for (unsigned k = 0; k < 32; ++k)
      if ((mask >> k) & 1u) {
        if (at >= first && at < first + size) part |= 1u << k;
        ++at;
      }
    return coalesced(part, rank / size, (all + size - 1) / size);
  }
  static unsigned mask_of(const thread_group& group) { return group.mask_; }
};

constexpr unsigned tile_mask(unsigned size) { return size >= 32 ? 0xffffffffu : (1u << size) - 1u; }

/// A tile of at most a warp.
template <unsigned Size, bool IsWide>
class tile : public thread_group, public within_warp<tile<Size, IsWide>> {
 public:
  static constexpr unsigned _group_id = kCoalesced;
  using within_warp<tile>::sync;
  static unsigned thread_rank() { return lanes::thread() & (Size - 1); }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  T shfl(const T& value, int rank) const {
    return within_warp<tile>::shfl(value, unsigned(rank) & (Size - 1));
  }
  template <class T>
  T shfl_xor(const T& value, unsigned bits) const {
    return this->exchange(value, [=](unsigned own, unsigned) { return own ^ bits; });
  }
  unsigned _lanes() const { return mask_; }

 protected:
  tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(kCoalesced, tile_mask(Size) << (lanes::lane() & ~(Size - 1)), meta_rank,
                     meta_size) {}
};

/// A tile of several warps.
template <unsigned Size>
class tile<Size, true> : public thread_group {
 public:
  static constexpr unsigned _group_id = kMultiTile;
  static void sync() { wide_sync(first() / 32, Size); }
  static unsigned thread_rank() { return lanes::thread() & (Size - 1); }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  T shfl(T value, unsigned rank) const {
    return _all(value, [=](const T* values, unsigned) { return values[rank & (Size - 1)]; });
  }
  int any(int predicate) const {
    return _all(predicate, [](const int* values, unsigned count) {
      int found = 0;
      for (unsigned k = 0; k < count; ++k) found |= values[k] != 0;
      return found;
    });
  }
  int all(int predicate) const { return !any(!predicate); }
  /// Calls `use` with all threads' values, in order.
  template <class T, class Use>
  static T _all(const T& value, Use use) {
    static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange at most 8 bytes");
    T* const values = reinterpret_cast<T*>(wide().value) + first();
    values[thread_rank()] = value;
    sync();
    const unsigned left = lanes::threads() - first();
    const T result = use(values, left < Size ? left : Size);
    sync();
    return result;
  }

 protected:
  tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(kMultiTile, Size, meta_rank, meta_size) {}

 private:
  static unsigned first() { return lanes::thread() & ~(Size - 1); }
};

}  // namespace details

/// `Size` neighbouring threads, a power of two.
template <unsigned Size, class Parent = void>
class thread_block_tile : public details::tile<Size, (Size > 32)> {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of threads, at most 1024");
  using base = details::tile<Size, (Size > 32)>;

 public:
  template <class Group>
  explicit thread_block_tile(const Group& parent)
      : base(unsigned(parent.thread_rank()) / Size,
             (unsigned(parent.num_threads()) + Size - 1) / Size) {}
  operator thread_block_tile<Size, void>() const { return thread_block_tile<Size, void>(*this, 0); }

 private:
  template <unsigned, class>
  friend class thread_block_tile;
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other, int)
      : base(other.meta_group_rank(), other.meta_group_size()) {}
};
template <unsigned Size>
class thread_block_tile<Size, void> : public details::tile<Size, (Size > 32)> {
  using base = details::tile<Size, (Size > 32)>;

 public:
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)
      : base(other.meta_group_rank(), other.meta_group_size()) {}

 private:
  template <unsigned, class>
  friend class thread_block_tile;
  friend thread_block_tile<1, void> this_thread();
  thread_block_tile(unsigned meta_rank, unsigned meta_size) : base(meta_rank, meta_size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other, int)
      : base(other.meta_group_rank(), other.meta_group_size()) {}
};

inline thread_block_tile<1, void> this_thread() { return thread_block_tile<1, void>(0u, 1u); }

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(parent);
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  return details::access::part(parent._lanes(), size);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.kind_ == details::kCoalesced) return details::access::part(parent.mask_, size);
  // A part of a block is a part of a warp.
  if (parent.kind_ != details::kBlock || size == 0 || size > 32 || (size & (size - 1)) != 0)
    __trap();
  thread_group part = details::access::part(details::lanes::existing(), size);
  part.meta_rank_ = details::lanes::thread() / size;
  part.meta_size_ = (details::lanes::threads() + size - 1) / size;
  return part;
}
inline thread_group tiled_partition(const thread_block& parent, unsigned size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}

KERNELBATCH_INLINE coalesced_group coalesced_threads() {
  return details::access::coalesced(__activemask());
}

template <class Group>
inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned all = group._lanes() & details::lanes::existing();
  const unsigned set = __ballot_sync(all, predicate) & all;
  if (set == all || set == 0) return details::access::coalesced(all);
  return details::access::coalesced(predicate ? set : all & ~set, predicate, 2);
}
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group& group, Label label) {
  static_assert(cuda::std::is_integral_v<Label> || cuda::std::is_pointer_v<Label>,
                "a label is an integer or a pointer");
  if constexpr (cuda::std::is_same_v<Label, bool>) return binary_partition(group, label);
  const unsigned all = group._lanes() & details::lanes::existing();
  const unsigned same = __match_any_sync(all, label) & all;
  const unsigned first = same & (0u - same);
  const unsigned leaders = __ballot_sync(all, first == 1u << details::lanes::lane());
  return details::access::coalesced(same, unsigned(__popc(leaders & (first - 1u))),
                                    unsigned(__popc(leaders)));
}

/// Thread 0 of the group calls.
template <class Group, class Function, class... A>
inline void invoke_one(const Group& group, Function&& function, A&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<A&&>(arguments)...);
}
template <class Group, class Function, class... A>
inline auto invoke_one_broadcast(const Group& group, Function&& function, A&&... arguments) {
  cuda::std::remove_cvref_t<decltype(function(static_cast<A&&>(arguments)...))> result{};
  if (group.thread_rank() == 0) result = function(static_cast<A&&>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) {
  return group.num_threads();
}

}  // namespace cooperative_groups

#include "kernelbatch/grid_groups.hpp"
