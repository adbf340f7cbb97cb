// CUB's small types on the host device.
#pragma once

#include "cuda/std/limits"
#include "cuda/std/type_traits"
#include "cuda/std/utility"

#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_WARP_THREADS(arch) 32
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_VERSION 300001
#define CUB_RUNTIME_FUNCTION

namespace cub {

struct NullType {
  template <class T>
  NullType& operator=(const T&) {
    return *this;
  }
  bool operator==(const NullType&) const { return true; }
  bool operator!=(const NullType&) const { return false; }
};

template <class Key_, class Value_>
struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
  KeyValuePair() = default;
  KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  bool operator==(const KeyValuePair& b) const { return key == b.key && value == b.value; }
  bool operator!=(const KeyValuePair& b) const { return !(*this == b); }
};

/// Room for a T that nothing constructs.
template <class T>
struct Uninitialized {
  __attribute__((__aligned__(__alignof__(T)))) unsigned char storage[sizeof(T)];
  T& Alias() { return reinterpret_cast<T&>(*this); }
};

template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

template <int N, int Current = N, int Count = 0>
struct Log2 {
  static constexpr int VALUE = N <= 1 ? 0 : 32 - __builtin_clz(unsigned(N - 1));
};
template <int N>
struct PowerOfTwo {
  static constexpr int VALUE = (N & (N - 1)) == 0;
};
template <bool Condition, class Yes, class No>
struct If {
  using Type = cuda::std::conditional_t<Condition, Yes, No>;
};
template <int Value>
struct Int2Type {
  static constexpr int VALUE = Value;
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

namespace detail {
/// Floats of any width: the two types of 16 bits are classes that become a float.
template <class T>
inline constexpr bool is_float_key = cuda::std::is_floating_point_v<T> ||
                                     (sizeof(T) == 2 && !cuda::std::is_integral_v<T> &&
                                      requires(const T& t) { float(t); });
template <size_t Bytes>
using bits_of = typename cuda::std::integer_of<Bytes, false>::type;

/// Keys as unsigned integers in the same order; −0 next to 0 as its equal.
template <class T>
inline bits_of<sizeof(T)> to_ordered(const T& key) {
  using Bits = bits_of<sizeof(T)>;
  constexpr Bits kHigh = Bits(Bits(1) << (8 * sizeof(T) - 1));
  Bits bits;
  memcpy(&bits, &key, sizeof(T));
  if constexpr (is_float_key<T>)
    return bits & kHigh ? Bits(~bits) : Bits(bits | kHigh);
  else if constexpr (cuda::std::is_signed_v<T>)
    return Bits(bits ^ kHigh);
  else
    return bits;
}
template <class T>
inline bits_of<sizeof(T)> to_digits(const T& key) {
  using Bits = bits_of<sizeof(T)>;
  constexpr Bits kHigh = Bits(Bits(1) << (8 * sizeof(T) - 1));
  const Bits bits = to_ordered(key);
  return is_float_key<T> && bits == Bits(kHigh - 1) ? kHigh : bits;
}
}  // namespace detail

template <class T>
struct Traits {
  static constexpr Category CATEGORY = detail::is_float_key<T>        ? FLOATING_POINT
                                       : !cuda::std::is_integral_v<T> ? NOT_A_NUMBER
                                       : cuda::std::is_signed_v<T>    ? SIGNED_INTEGER
                                                                      : UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = CATEGORY != NOT_A_NUMBER, NULL_TYPE = false;
  using UnsignedBits = detail::bits_of<sizeof(T)>;
  static T Max() { return cuda::std::numeric_limits<T>::max(); }
  static T Lowest() { return cuda::std::numeric_limits<T>::lowest(); }
};
template <class T>
using NumericTraits = Traits<T>;
template <class T>
struct FpLimits : Traits<T> {};

}  // namespace cub
