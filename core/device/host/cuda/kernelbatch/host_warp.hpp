// Shuffles, votes, matches and reductions of a warp, over what its lanes exchange.
#pragma once

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  const int base = static_cast<int>(kernelbatch::detail::lane()) & ~(width - 1);
  return kernelbatch::detail::pick(warp, base + (source & (width - 1)), value);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  const int lane = static_cast<int>(kernelbatch::detail::lane());
  const int source = lane - static_cast<int>(delta);
  return source < (lane & ~(width - 1)) ? value : kernelbatch::detail::pick(warp, source, value);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  const int lane = static_cast<int>(kernelbatch::detail::lane());
  const int source = lane + static_cast<int>(delta);
  return source > (lane | (width - 1)) ? value : kernelbatch::detail::pick(warp, source, value);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  const int lane = static_cast<int>(kernelbatch::detail::lane());
  const int source = lane ^ lane_mask;
  return source > (lane | (width - 1)) ? value : kernelbatch::detail::pick(warp, source, value);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const auto warp = kernelbatch::detail::exchange(mask, predicate);
  unsigned ballot = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (((warp.arrived & mask) >> lane) & 1u)
      ballot |= (static_cast<unsigned>(warp.value[lane]) != 0 ? 1u : 0u) << lane;
  return ballot;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) {
  const auto warp = kernelbatch::detail::exchange(mask, predicate);
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((((warp.arrived & mask) >> lane) & 1u) && static_cast<unsigned>(warp.value[lane]) == 0)
      return 0;
  return 1;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  const unsigned long long own = kernelbatch::detail::to_word(value);
  unsigned equal = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((((warp.arrived & mask) >> lane) & 1u) && warp.value[lane] == own) equal |= 1u << lane;
  return equal;
}
template <class T, class Combine>
inline T kernelbatch_reduce_warp(unsigned mask, T value, Combine combine) {
  const auto warp = kernelbatch::detail::exchange(mask, value);
  bool first = true;
  T result = value;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((((warp.arrived & mask) >> lane) & 1u) == 0) continue;
    const T other = kernelbatch::detail::from_word<T>(warp.value[lane]);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}
template <class T>
inline T __reduce_add_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return T(a + b); });
}
template <class T>
inline T __reduce_min_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
inline T __reduce_max_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return a < b ? b : a; });
}
template <class T>
inline T __reduce_and_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return T(a & b); });
}
template <class T>
inline T __reduce_or_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return T(a | b); });
}
template <class T>
inline T __reduce_xor_sync(unsigned mask, T value) {
  return kernelbatch_reduce_warp(mask, value, [](T a, T b) { return T(a ^ b); });
}

namespace kernelbatch {
/// The larger or the smaller number; NaN where one of them is.
inline float larger_or_nan(float a, float b) { return a != a ? a : b != b ? b : a < b ? b : a; }
inline float smaller_or_nan(float a, float b) { return a != a ? a : b != b ? b : b < a ? b : a; }

namespace detail {
template <class T, class Exchange>
inline T exchange_words(const T& value, Exchange exchange) {
  T result;
  auto* to = reinterpret_cast<unsigned char*>(&result);
  const auto* from = reinterpret_cast<const unsigned char*>(&value);
  for (size_t k = 0; k < sizeof(T); k += 8) {
    const size_t bytes = sizeof(T) - k < 8 ? sizeof(T) - k : 8;
    unsigned long long word = 0;
    memcpy(&word, from + k, bytes);
    word = exchange(word);
    memcpy(to + k, &word, bytes);
  }
  return result;
}
}  // namespace detail
template <class T>
inline T shuffle_down(unsigned mask, const T& value, int distance, int width) {
  return detail::exchange_words(value, [=](unsigned long long word) {
    return __shfl_down_sync(mask, word, static_cast<unsigned>(distance), width);
  });
}
template <class T>
inline T shuffle_across(unsigned mask, const T& value, int lanes) {
  return detail::exchange_words(
      value, [=](unsigned long long word) { return __shfl_xor_sync(mask, word, lanes, 32); });
}
}  // namespace kernelbatch
