// Asked for by: __kernelbatch_ptx_* __kernelbatch_named_barrier.
// What instructions of PTX do, for statements that the host compiler has translated
// (core/device/host/text). A register is an unsigned long long that holds the bits.
#pragma once

#include "kernelbatch/host_ptx_address.hpp"

// ---- registers ---------------------------------------------------------------------------------

template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_in(unsigned long long bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_out(const T& value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_out(bool value) { return value ? 1 : 0; }
// Sign-extended: a load of few bits fills a wider register.
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_out(signed char value) {
  return static_cast<unsigned long long>(static_cast<long long>(value));
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_out(short value) {
  return static_cast<unsigned long long>(static_cast<long long>(value));
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_out(int value) {
  return static_cast<unsigned long long>(static_cast<long long>(value));
}
template <class T>
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_read(const T& value) {
  static_assert(sizeof(T) <= 8, "a register of PTX holds 8 bytes");
  return __kernelbatch_ptx_out(value);
}
/// An array is its address.
template <class T, size_t Count>
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_read(T (&array)[Count]) {
  return reinterpret_cast<unsigned long long>(&array[0]);
}
template <class T>
KERNELBATCH_INLINE void __kernelbatch_ptx_write(T& to, unsigned long long bits) {
  memcpy(&to, &bits, sizeof(T));
}

KERNELBATCH_INLINE unsigned __kernelbatch_ptx_lane() { return kernelbatch::detail::lane(); }
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_warp() {
  return kernelbatch_host_thread->linear_thread / 32;
}
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_warps() {
  return (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
}
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_cluster_size() {
  const auto& dim = __kernelbatch_cluster_dim();
  return dim.x * dim.y * dim.z;
}
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_cluster_rank() {
  const auto& at = __kernelbatch_cluster_index();
  const auto& dim = __kernelbatch_cluster_dim();
  return at.x + dim.x * (at.y + dim.y * at.z);
}
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_dynamic_shared() {
  return kernelbatch_host_thread->dynamic_shared_bytes;
}
struct __kernelbatch_timespec {
  long _seconds, _nanoseconds;
};
extern "C" int clock_gettime(int, __kernelbatch_timespec*) noexcept __asm__("clock_gettime");
/// Nanoseconds.
inline unsigned long long __kernelbatch_ptx_timer() {
  __kernelbatch_timespec now;
  clock_gettime(0, &now);
  return static_cast<unsigned long long>(now._seconds) * 1000000000ull +
         static_cast<unsigned long long>(now._nanoseconds);
}
KERNELBATCH_INLINE unsigned long long __kernelbatch_ptx_clock() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return __kernelbatch_ptx_timer();
#endif
}

// ---- integers ----------------------------------------------------------------------------------

template <class T>
struct __kernelbatch_ptx_wider;
template <>
struct __kernelbatch_ptx_wider<short> {
  using _type = int;
};
template <>
struct __kernelbatch_ptx_wider<unsigned short> {
  using _type = unsigned;
};
template <>
struct __kernelbatch_ptx_wider<int> {
  using _type = long long;
};
template <>
struct __kernelbatch_ptx_wider<unsigned> {
  using _type = unsigned long long;
};
template <>
struct __kernelbatch_ptx_wider<long long> {
  using _type = __int128;
};
template <>
struct __kernelbatch_ptx_wider<unsigned long long> {
  using _type = unsigned __int128;
};
template <class T>
using __kernelbatch_ptx_wide = typename __kernelbatch_ptx_wider<T>::_type;

// Sums and products modulo 2^bits.
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_add_plain(T a, T b) {
  return static_cast<T>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_sub_plain(T a, T b) {
  return static_cast<T>(static_cast<unsigned long long>(a) - static_cast<unsigned long long>(b));
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_clamped(__int128 value) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  const bool is_signed = T(-1) < T(0);
  const __int128 high = (static_cast<__int128>(1) << (kBits - (is_signed ? 1 : 0))) - 1;
  const __int128 low = is_signed ? -high - 1 : 0;
  return static_cast<T>(value < low ? low : value > high ? high : value);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_add_plain_sat(T a, T b) {
  return __kernelbatch_ptx_clamped<T>(static_cast<__int128>(a) + b);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_sub_plain_sat(T a, T b) {
  return __kernelbatch_ptx_clamped<T>(static_cast<__int128>(a) - b);
}
template <class T>
KERNELBATCH_INLINE __kernelbatch_ptx_wide<T> __kernelbatch_ptx_mul_wide(T a, T b) {
  return static_cast<__kernelbatch_ptx_wide<T>>(a) * b;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_mul(T a, T b) {
  return static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_mul_hi(T a, T b) {
  return static_cast<T>(__kernelbatch_ptx_mul_wide(a, b) >> (8 * sizeof(T)));
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_mad(T a, T b, T c) {
  return __kernelbatch_ptx_add_plain<T>(__kernelbatch_ptx_mul<T>(a, b), c);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_mad_hi(T a, T b, T c) {
  return __kernelbatch_ptx_add_plain<T>(__kernelbatch_ptx_mul_hi<T>(a, b), c);
}
// With carry: the carry of a difference is 1 where nothing was borrowed, as in a subtraction by
// adding the complement.
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_add(T a, T b, unsigned long long carry,
                                           unsigned long long& out) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  using U = unsigned __int128;
  const U mask = (static_cast<U>(1) << kBits) - 1;
  const U sum = (static_cast<U>(a) & mask) + (static_cast<U>(b) & mask) + carry;
  out = static_cast<unsigned long long>(sum >> kBits);
  return static_cast<T>(sum);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_sub(T a, T b, unsigned long long borrow,
                                           unsigned long long& out) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  using U = unsigned __int128;
  const U mask = (static_cast<U>(1) << kBits) - 1;
  const U difference = (static_cast<U>(a) & mask) - (static_cast<U>(b) & mask) - borrow;
  out = static_cast<unsigned long long>(difference >> kBits) & 1;
  return static_cast<T>(difference);
}
template <class T, bool High>
KERNELBATCH_INLINE T __kernelbatch_ptx_mad(T a, T b, T c, unsigned long long carry,
                                           unsigned long long& out) {
  const T product = High ? __kernelbatch_ptx_mul_hi<T>(a, b) : __kernelbatch_ptx_mul<T>(a, b);
  return __kernelbatch_ptx_add<T>(product, c, carry, out);
}

/// Dividing by zero is undefined on a GPU; here all bits of both results are set, as GPUs do it.
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_div(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (T(-1) < T(0) && b == T(-1)) return __kernelbatch_ptx_sub_plain<T>(0, a);
  return static_cast<T>(a / b);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_rem(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (T(-1) < T(0) && b == T(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_neg(T a) {
  return __kernelbatch_ptx_sub_plain<T>(0, a);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_abs(T a) {
  return a < 0 ? __kernelbatch_ptx_neg(a) : a;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_sad(T a, T b, T c) {
  return __kernelbatch_ptx_add_plain<T>(
      a < b ? __kernelbatch_ptx_sub_plain<T>(b, a) : __kernelbatch_ptx_sub_plain<T>(a, b), c);
}
template <class T>
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_popc(T a) {
  return static_cast<unsigned>(__builtin_popcountll(a));
}
template <class T>
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_clz(T a) {
  return a == 0 ? 8 * sizeof(T) : static_cast<unsigned>(__builtin_clzll(a)) - 64 + 8 * sizeof(T);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_brev(T a) {
  T reversed = 0;
  for (unsigned k = 0; k < 8 * sizeof(T); ++k)
    reversed |= ((a >> k) & T(1)) << (8 * sizeof(T) - 1 - k);
  return reversed;
}
/// The highest bit that is not a copy of the sign.
template <class T>
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_bfind(T a) {
  const unsigned long long bits =
      static_cast<unsigned long long>(static_cast<long long>(a < 0 ? ~a : a));
  return bits == 0 ? ~0u : 63u - static_cast<unsigned>(__builtin_clzll(bits));
}
template <class T>
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_bfind_shift(T a) {
  const unsigned at = __kernelbatch_ptx_bfind(a);
  return at == ~0u ? at : static_cast<unsigned>(8 * sizeof(T) - 1) - at;
}
/// Shifts by the width or more give 0, or copies of the sign.
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_shl(T a, unsigned by) {
  return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<unsigned long long>(a) << by);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_shr(T a, unsigned by) {
  if (by >= 8 * sizeof(T)) by = 8 * sizeof(T) - 1, a = a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> by);
}
/// `width` bits from `first` on.
inline unsigned __kernelbatch_ptx_bmsk(unsigned first, unsigned width) {
  return __kernelbatch_ptx_shl(~__kernelbatch_ptx_shl(~0u, width), first);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_lop3(T a, T b, T c, T table) {
  T result = 0;
  for (unsigned k = 0; k < 8; ++k)
    if ((table >> k) & 1) result |= ((k & 4) ? a : ~a) & ((k & 2) ? b : ~b) & ((k & 1) ? c : ~c);
  return result;
}
/// Bytes 0…7 of b:a, chosen by four digits; bit 3 of a digit spreads the byte's sign.
inline unsigned __kernelbatch_ptx_prmt(unsigned a, unsigned b, unsigned choice) {
  const unsigned long long all = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int k = 0; k < 4; ++k) {
    const unsigned digit = choice >> (4 * k);
    unsigned byte = static_cast<unsigned>(all >> (8 * (digit & 7u))) & 0xffu;
    if (digit & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * k);
  }
  return result;
}
/// Position or length of a field. GPUs take 8 bits of it if the operand has 32 bits; beyond 64 bits
/// all are the same.
template <class T>
KERNELBATCH_INLINE unsigned __kernelbatch_ptx_field(unsigned value) {
  return sizeof(T) == 8 ? (value < 255 ? value : 255) : value & 255;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_bfe(T a, unsigned at, unsigned count) {
  constexpr unsigned kBits = 8 * sizeof(T);
  at = __kernelbatch_ptx_field<T>(at);
  count = __kernelbatch_ptx_field<T>(count);
  const bool is_signed = T(-1) < T(0);
  const unsigned top = at + count - 1 < kBits - 1 ? at + count - 1 : kBits - 1;
  const unsigned long long bits = static_cast<unsigned long long>(a);
  const bool sign = is_signed && count != 0 && ((bits >> top) & 1);
  unsigned long long result = 0;
  for (unsigned k = 0; k < kBits; ++k) {
    const bool bit = k < count && at + k < kBits ? (bits >> (at + k)) & 1 : sign;
    result |= static_cast<unsigned long long>(bit) << k;
  }
  return static_cast<T>(result);
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_bfi(T a, T b, unsigned at, unsigned count) {
  constexpr unsigned kBits = 8 * sizeof(T);
  T result = b;
  at = __kernelbatch_ptx_field<T>(at);
  count = __kernelbatch_ptx_field<T>(count);
  for (unsigned k = 0; k < count && at + k < kBits; ++k) {
    const T bit = T(1) << (at + k);
    result = (a >> k) & 1 ? result | bit : result & ~bit;
  }
  return result;
}

// ---- conversions, floating point ----------------------------------------------------------------

template <class T, class S>
KERNELBATCH_INLINE T __kernelbatch_ptx_convert(S a) {
  return static_cast<T>(a);
}
template <class T, class S>
KERNELBATCH_INLINE T __kernelbatch_ptx_convert_sat(S a) {
  return __kernelbatch_ptx_clamped<T>(a);
}
/// `mode` is the second letter of rni, rzi, rmi, rpi. Out of range gives the nearest. NaN gives 0, or
/// the highest bit if either side has 64 bits, as on GPUs.
template <class T, class S>
inline T __kernelbatch_ptx_to_integer(S a, char mode) {
  if (a != a)
    return sizeof(T) == 8 || sizeof(S) == 8 ? static_cast<T>(1ull << (8 * sizeof(T) - 1)) : T(0);
  const double x = static_cast<double>(a);
  const double whole = mode == 'n'   ? __builtin_rint(x)
                       : mode == 'm' ? __builtin_floor(x)
                       : mode == 'p' ? __builtin_ceil(x)
                                     : __builtin_trunc(x);
  constexpr double kLimit = 0x1p100;
  return __kernelbatch_ptx_clamped<T>(static_cast<__int128>(whole > kLimit    ? kLimit
                                                            : whole < -kLimit ? -kLimit
                                                                              : whole));
}
/// Subnormal numbers become zero.
KERNELBATCH_INLINE float __kernelbatch_ptx_flush(float a) {
  return __builtin_fabsf(a) < 0x1p-126f ? __builtin_copysignf(0.0f, a) : a;
}
template <class T>
KERNELBATCH_INLINE T __kernelbatch_ptx_saturate(T a) {
  return a > T(0) ? (a < T(1) ? a : T(1)) : T(0);
}
#define KERNELBATCH_PTX_CHOICE(T)                                                \
  KERNELBATCH_INLINE T __kernelbatch_ptx_fmin(T a, T b) {                        \
    return a != a ? b : b != b ? a : (a < b || (a == b && signbit(a))) ? a : b;  \
  }                                                                              \
  KERNELBATCH_INLINE T __kernelbatch_ptx_fmax(T a, T b) {                        \
    return a != a ? b : b != b ? a : (a > b || (a == b && !signbit(a))) ? a : b; \
  }                                                                              \
  KERNELBATCH_INLINE T __kernelbatch_ptx_fmin_nan(T a, T b) {                    \
    return a != a ? a : b != b ? b : __kernelbatch_ptx_fmin(a, b);               \
  }                                                                              \
  KERNELBATCH_INLINE T __kernelbatch_ptx_fmax_nan(T a, T b) {                    \
    return a != a ? a : b != b ? b : __kernelbatch_ptx_fmax(a, b);               \
  }
KERNELBATCH_PTX_CHOICE(float)
KERNELBATCH_PTX_CHOICE(double)
#undef KERNELBATCH_PTX_CHOICE
/// Ten bits of mantissa, ties away from zero.
KERNELBATCH_INLINE float __kernelbatch_ptx_tf32(float a) {
  const unsigned bits = __builtin_bit_cast(unsigned, a);
  if ((bits & 0x7f800000u) == 0x7f800000u) return a;
  return __builtin_bit_cast(float, (bits + 0x1000u) & 0xffffe000u);
}

// ---- atomic operations -------------------------------------------------------------------------

#define KERNELBATCH_PTX_ATOMIC(name, expression)                                     \
  template <class T>                                                                 \
  inline T __kernelbatch_ptx_atomic_##name(char* at, T b) {                          \
    return kernelbatch::detail::atomic_update(reinterpret_cast<T*>(at),              \
                                              [b](T a) -> T { return expression; }); \
  }
KERNELBATCH_PTX_ATOMIC(add, static_cast<T>(a + b))
KERNELBATCH_PTX_ATOMIC(min, b < a ? b : a)
KERNELBATCH_PTX_ATOMIC(max, a < b ? b : a)
KERNELBATCH_PTX_ATOMIC(and, static_cast<T>(a& b))
KERNELBATCH_PTX_ATOMIC(or, static_cast<T>(a | b))
KERNELBATCH_PTX_ATOMIC(xor, static_cast<T>(a ^ b))
KERNELBATCH_PTX_ATOMIC(exch, b)
KERNELBATCH_PTX_ATOMIC(inc, a >= b ? T(0) : static_cast<T>(a + 1))
KERNELBATCH_PTX_ATOMIC(dec, (a == T(0) || a > b) ? b : static_cast<T>(a - 1))
#undef KERNELBATCH_PTX_ATOMIC
template <class T>
inline T __kernelbatch_ptx_atomic_cas(char* at, T compare, T value) {
  return kernelbatch::detail::atomic_update(
      reinterpret_cast<T*>(at), [compare, value](T a) -> T { return a == compare ? value : a; });
}

// ---- the warp, barriers ------------------------------------------------------------------------

inline void __kernelbatch_named_barrier(unsigned number, unsigned count, bool waits) {
  kernelbatch_host_thread->operations->named_barrier(number, count, waits);
}
/// shfl.sync: `mode` is the first letter of up, down, bfly, idx.
inline unsigned long long __kernelbatch_ptx_shuffle(char mode, unsigned value, unsigned by,
                                                    unsigned clamp_and_mask, unsigned members,
                                                    bool& is_valid) {
  const auto warp = kernelbatch::detail::exchange(members, value);
  const unsigned lane = kernelbatch::detail::lane();
  const unsigned segment = (clamp_and_mask >> 8) & 31, clamp = clamp_and_mask & 31;
  const unsigned low = lane & segment, high = low | (clamp & ~segment);
  by &= 31;
  const int source = mode == 'u'   ? static_cast<int>(lane) - static_cast<int>(by)
                     : mode == 'd' ? static_cast<int>(lane + by)
                     : mode == 'b' ? static_cast<int>(lane ^ by)
                                   : static_cast<int>(low | (by & ~segment));
  is_valid = mode == 'u' ? source >= static_cast<int>(high) : source <= static_cast<int>(high);
  return is_valid ? kernelbatch::detail::pick(warp, source, value) : value;
}
inline bool __kernelbatch_ptx_uniform(unsigned members, bool value) {
  return __all_sync(members, value) != 0 || __any_sync(members, value) == 0;
}
