// Values of several lanes of a warp, brought together: what warp collectives of the libraries are
// made of on the host. Every lane gets all values and computes the same from them.
#pragma once

namespace kernelbatch {
namespace lanes {

/// The values of a warp's 32 lanes; those of lanes that did not take part are undefined.
template <class T, unsigned Count = 32>
struct Row {
  __attribute__((__aligned__(__alignof__(T)))) unsigned char room[Count * sizeof(T)];
  T& operator[](unsigned k) { return reinterpret_cast<T*>(room)[k]; }
  const T& operator[](unsigned k) const { return reinterpret_cast<const T*>(room)[k]; }
};

KERNELBATCH_INLINE unsigned lane() { return kernelbatch_host_thread->linear_thread & 31u; }
KERNELBATCH_INLINE unsigned thread() { return kernelbatch_host_thread->linear_thread; }
KERNELBATCH_INLINE unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
/// The lanes of this thread's warp that the block has at all.
KERNELBATCH_INLINE unsigned existing() {
  const unsigned left = threads() - (thread() & ~31u);
  return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}
KERNELBATCH_INLINE unsigned ones(unsigned count) {
  return count >= 32 ? 0xffffffffu : (1u << count) - 1u;
}

/// Meets the lanes of `mask`; gives those that took part.
template <class T>
inline unsigned gather(unsigned mask, const T& value, Row<T>& row) {
  unsigned arrived = 0;
  for (size_t at = 0; at < sizeof(T); at += 8) {
    constexpr size_t kSmall = sizeof(T) < 8 ? sizeof(T) : 8;
    const size_t bytes = sizeof(T) - at < kSmall ? sizeof(T) - at : kSmall;
    unsigned long long word = 0;
    memcpy(&word, reinterpret_cast<const unsigned char*>(&value) + at, bytes);
    const kernelbatch_host::WarpValues warp =
        kernelbatch_host_thread->operations->warp_exchange(mask, word);
    arrived = warp.arrived;
    for (unsigned k = 0; k < 32; ++k) memcpy(row.room + k * sizeof(T) + at, &warp.value[k], bytes);
  }
  return arrived;
}

/// The same, with the values of the mask's lanes moved up to the front; gives their number.
template <class T>
inline unsigned gather_ranks(unsigned mask, const T& value, Row<T>& row) {
  const unsigned arrived = gather(mask, value, row) & mask;
  unsigned count = 0;
  for (unsigned k = 0; k < 32; ++k)
    if ((arrived >> k) & 1u) {
      if (count != k) memcpy(row.room + count * sizeof(T), row.room + k * sizeof(T), sizeof(T));
      ++count;
    }
  return count;
}

/// What a butterfly of exchanges gives to thread `rank` of a power of two of threads; with the
/// rounding of that order.
template <class T, class Operator>
inline T butterfly(T* value, unsigned count, unsigned rank, Operator combine) {
  if (count <= 1) return value[0];
  for (unsigned distance = count / 2; distance > 0; distance /= 2) {
    Row<T, 32> next;
    // Pairs differ in one bit: both are computed before either is replaced.
    for (unsigned k = 0; k < count; ++k) next[k] = combine(value[k], value[k ^ distance]);
    for (unsigned k = 0; k < count; ++k) value[k] = next[k];
  }
  return value[rank];
}

/// Replaces each value by the combination of all up to it, by doubling distances.
template <class T, class Operator>
inline void scan(T* value, unsigned count, Operator combine) {
  for (unsigned distance = 1; distance < count; distance *= 2)
    for (unsigned k = count - 1; k >= distance; --k)
      value[k] = combine(value[k], value[k - distance]);
}

/// Combines in the order of a tree of shuffles downwards: thread 0's result.
template <class T, class Operator>
inline T tree(T* value, unsigned count, unsigned width, Operator combine) {
  for (unsigned distance = 1; distance < width; distance *= 2)
    for (unsigned k = 0; k + distance < count; ++k)
      value[k] = combine(value[k], value[k + distance]);
  return value[0];
}

}  // namespace lanes
}  // namespace kernelbatch
