// One 16-bit float, its pair, and all functions of both; read once for half and once for bfloat16.
// KERNELBATCH_ONE and KERNELBATCH_TWO are the types, KERNELBATCH_RAW and KERNELBATCH_RAWS those of
// plain bits, KERNELBATCH_WORD and KERNELBATCH_WORDS the parts of names that stand for them, and
// KERNELBATCH_RULES says how they are rounded.

#define KERNELBATCH_PASTE_(a, b, c) a##b##c
#define KERNELBATCH_PASTE(a, b, c) KERNELBATCH_PASTE_(a, b, c)
#define KERNELBATCH_CALLED(a, b) KERNELBATCH_PASTE(a, KERNELBATCH_WORD, b)
#define KERNELBATCH_CALLED2(a, b) KERNELBATCH_PASTE(a, KERNELBATCH_WORDS, b)

struct alignas(2) KERNELBATCH_RAW {
  unsigned short x;
};
struct alignas(4) KERNELBATCH_RAWS {
  unsigned short x, y;
};

struct alignas(2) KERNELBATCH_ONE {
 protected:
  unsigned short __x;

 public:
  using _Rules = KERNELBATCH_RULES;
  KERNELBATCH_ONE() = default;
  constexpr KERNELBATCH_ONE(const KERNELBATCH_RAW& raw) : __x(raw.x) {}
  constexpr KERNELBATCH_ONE& operator=(const KERNELBATCH_RAW& raw) {
    __x = raw.x;
    return *this;
  }
  constexpr operator KERNELBATCH_RAW() const { return {__x}; }
  KERNELBATCH_ONE(float value) : __x(_Rules::narrow(value)) {}
  KERNELBATCH_ONE(double value) : __x(kernelbatch::detail::narrow<_Rules>(value)) {}
  operator float() const { return _Rules::widen(__x); }
  constexpr operator bool() const { return (__x & 0x7fffu) != 0; }
#define KERNELBATCH_FROM(T)                                                                    \
  KERNELBATCH_ONE(T value)                                                                     \
      : __x(static_cast<unsigned short>(kernelbatch::detail::integer_bits<_Rules::format, 16>( \
            value, kernelbatch::detail::Rounding::kNearest))) {}
  KERNELBATCH_FROM(short)
  KERNELBATCH_FROM(unsigned short)
  KERNELBATCH_FROM(int)
  KERNELBATCH_FROM(unsigned)
  KERNELBATCH_FROM(long)
  KERNELBATCH_FROM(unsigned long)
  KERNELBATCH_FROM(long long)
  KERNELBATCH_FROM(unsigned long long)
#undef KERNELBATCH_FROM
#define KERNELBATCH_INTO(T)                                                                 \
  operator T() const {                                                                      \
    return kernelbatch::detail::saturated_integer<T>(_Rules::widen(__x),                    \
                                                     kernelbatch::detail::Rounding::kZero); \
  }
  KERNELBATCH_INTO(char)
  KERNELBATCH_INTO(signed char)
  KERNELBATCH_INTO(unsigned char)
  KERNELBATCH_INTO(short)
  KERNELBATCH_INTO(unsigned short)
  KERNELBATCH_INTO(int)
  KERNELBATCH_INTO(unsigned)
  KERNELBATCH_INTO(long)
  KERNELBATCH_INTO(unsigned long)
  KERNELBATCH_INTO(long long)
  KERNELBATCH_INTO(unsigned long long)
#undef KERNELBATCH_INTO
#ifdef KERNELBATCH_OTHER
  explicit KERNELBATCH_ONE(KERNELBATCH_OTHER value);
#endif
};

struct alignas(4) KERNELBATCH_TWO {
  KERNELBATCH_ONE x, y;
  KERNELBATCH_TWO() = default;
  constexpr KERNELBATCH_TWO(const KERNELBATCH_ONE& a, const KERNELBATCH_ONE& b) : x(a), y(b) {}
  constexpr KERNELBATCH_TWO(const KERNELBATCH_RAWS& raw)
      : x(KERNELBATCH_RAW{raw.x}), y(KERNELBATCH_RAW{raw.y}) {}
  constexpr operator KERNELBATCH_RAWS() const {
    return {static_cast<KERNELBATCH_RAW>(x).x, static_cast<KERNELBATCH_RAW>(y).x};
  }
};

namespace kernelbatch {
namespace detail {
KERNELBATCH_INLINE KERNELBATCH_ONE one_of(KERNELBATCH_RULES, unsigned short bits) {
  return KERNELBATCH_RAW{bits};
}
KERNELBATCH_INLINE unsigned short bits_of(KERNELBATCH_ONE value) {
  return static_cast<KERNELBATCH_RAW>(value).x;
}
KERNELBATCH_INLINE float wide(KERNELBATCH_ONE value) {
  return KERNELBATCH_RULES::widen(bits_of(value));
}
KERNELBATCH_INLINE KERNELBATCH_ONE shortened(KERNELBATCH_RULES rules, double value) {
  return one_of(rules, narrow<KERNELBATCH_RULES>(value));
}
/// In [0, 1]; NaN becomes 0.
KERNELBATCH_INLINE KERNELBATCH_ONE saturated(KERNELBATCH_ONE value) {
  const float w = wide(value);
  return one_of(KERNELBATCH_RULES{}, w >= 1  ? KERNELBATCH_RULES::one
                                     : w > 0 ? bits_of(value)
                                             : static_cast<unsigned short>(0));
}
/// Not below 0; NaN stays.
KERNELBATCH_INLINE KERNELBATCH_ONE rectified(KERNELBATCH_ONE value) {
  const float w = wide(value);
  return one_of(KERNELBATCH_RULES{}, w != w  ? KERNELBATCH_RULES::nan
                                     : w > 0 ? bits_of(value)
                                             : static_cast<unsigned short>(0));
}
/// The greater (or smaller) one, +0 above −0. NaN loses, or wins where it is `kept`.
inline KERNELBATCH_ONE extreme(KERNELBATCH_ONE a, KERNELBATCH_ONE b, bool greater, bool kept) {
  const float x = wide(a), y = wide(b);
  const KERNELBATCH_ONE nan = one_of(KERNELBATCH_RULES{}, KERNELBATCH_RULES::nan);
  if (x != x) return kept || y != y ? nan : b;
  if (y != y) return kept ? nan : a;
  const bool first = x == y ? (bits_of(a) >> 15 == 0) == greater : (x > y) == greater;
  return first ? a : b;
}
}  // namespace detail
}  // namespace kernelbatch

// ---- conversions --------------------------------------------------------------------------------

#define KERNELBATCH_ROUNDED_(suffix, mode)                                 \
  inline KERNELBATCH_ONE KERNELBATCH_CALLED(__float2, suffix)(float x) {   \
    return KERNELBATCH_RAW{kernelbatch::detail::narrow<KERNELBATCH_RULES>( \
        static_cast<double>(x), kernelbatch::detail::Rounding::mode)};     \
  }                                                                        \
  KERNELBATCH_INTEGERS_(suffix, mode, short, short)                        \
  KERNELBATCH_INTEGERS_(suffix, mode, ushort, unsigned short)              \
  KERNELBATCH_INTEGERS_(suffix, mode, int, int)                            \
  KERNELBATCH_INTEGERS_(suffix, mode, uint, unsigned)                      \
  KERNELBATCH_INTEGERS_(suffix, mode, ll, long long)                       \
  KERNELBATCH_INTEGERS_(suffix, mode, ull, unsigned long long)
#define KERNELBATCH_INTEGERS_(suffix, mode, name, T)                                       \
  inline T KERNELBATCH_CALLED(__, 2##name##suffix)(KERNELBATCH_ONE x) {                    \
    return kernelbatch::detail::saturated_integer<T>(kernelbatch::detail::wide(x),         \
                                                     kernelbatch::detail::Rounding::mode); \
  }                                                                                        \
  inline KERNELBATCH_ONE KERNELBATCH_CALLED(__##name##2, suffix)(T x) {                    \
    return KERNELBATCH_RAW{static_cast<unsigned short>(                                    \
        kernelbatch::detail::integer_bits<KERNELBATCH_RULES::format, 16>(                  \
            x, kernelbatch::detail::Rounding::mode))};                                     \
  }
KERNELBATCH_ROUNDED_(_rn, kNearest)
KERNELBATCH_ROUNDED_(_rz, kZero)
KERNELBATCH_ROUNDED_(_ru, kUp)
KERNELBATCH_ROUNDED_(_rd, kDown)
#undef KERNELBATCH_ROUNDED_
#undef KERNELBATCH_INTEGERS_
inline signed char KERNELBATCH_CALLED(__, 2char_rz)(KERNELBATCH_ONE x) {
  return static_cast<signed char>(x);
}
inline unsigned char KERNELBATCH_CALLED(__, 2uchar_rz)(KERNELBATCH_ONE x) {
  return static_cast<unsigned char>(x);
}
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__float2, )(float x) { return x; }
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__double2, )(double x) { return x; }
inline float KERNELBATCH_CALLED(__, 2float)(KERNELBATCH_ONE x) {
  return kernelbatch::detail::wide(x);
}
inline short KERNELBATCH_CALLED(__, _as_short)(KERNELBATCH_ONE x) {
  return static_cast<short>(kernelbatch::detail::bits_of(x));
}
inline unsigned short KERNELBATCH_CALLED(__, _as_ushort)(KERNELBATCH_ONE x) {
  return kernelbatch::detail::bits_of(x);
}
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__short_as_, )(short x) {
  return KERNELBATCH_RAW{static_cast<unsigned short>(x)};
}
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__ushort_as_, )(unsigned short x) {
  return KERNELBATCH_RAW{x};
}

inline KERNELBATCH_TWO KERNELBATCH_CALLED2(make_, )(KERNELBATCH_ONE x, KERNELBATCH_ONE y) {
  return {x, y};
}
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__halves2, )(KERNELBATCH_ONE x, KERNELBATCH_ONE y) {
  return {x, y};
}
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__float2, _rn)(float x) { return {x, x}; }
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__floats2, _rn)(float x, float y) { return {x, y}; }
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__float22, _rn)(float2 v) { return {v.x, v.y}; }
inline float2 KERNELBATCH_CALLED2(__, 2float2)(KERNELBATCH_TWO v) {
  return {kernelbatch::detail::wide(v.x), kernelbatch::detail::wide(v.y)};
}
inline float __low2float(KERNELBATCH_TWO v) { return kernelbatch::detail::wide(v.x); }
inline float __high2float(KERNELBATCH_TWO v) { return kernelbatch::detail::wide(v.y); }
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__low2, )(KERNELBATCH_TWO v) { return v.x; }
inline KERNELBATCH_ONE KERNELBATCH_CALLED(__high2, )(KERNELBATCH_TWO v) { return v.y; }
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__low2, )(KERNELBATCH_TWO v) { return {v.x, v.x}; }
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__high2, )(KERNELBATCH_TWO v) { return {v.y, v.y}; }
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__lows2, )(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {
  return {a.x, b.x};
}
inline KERNELBATCH_TWO KERNELBATCH_CALLED2(__highs2, )(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {
  return {a.y, b.y};
}
inline KERNELBATCH_TWO __lowhigh2highlow(KERNELBATCH_TWO v) { return {v.y, v.x}; }

// ---- arithmetic ---------------------------------------------------------------------------------

#define KERNELBATCH_BINARY_(name, expression)                                        \
  inline KERNELBATCH_ONE __h##name(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {           \
    const double x = kernelbatch::detail::wide(a), y = kernelbatch::detail::wide(b); \
    return kernelbatch::detail::shortened(KERNELBATCH_RULES{}, expression);          \
  }                                                                                  \
  inline KERNELBATCH_ONE __h##name##_rn(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {      \
    return __h##name(a, b);                                                          \
  }                                                                                  \
  inline KERNELBATCH_ONE __h##name##_sat(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {     \
    return kernelbatch::detail::saturated(__h##name(a, b));                          \
  }                                                                                  \
  inline KERNELBATCH_TWO __h##name##2(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {        \
    return {__h##name(a.x, b.x), __h##name(a.y, b.y)};                               \
  }                                                                                  \
  inline KERNELBATCH_TWO __h##name##2_rn(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {     \
    return __h##name##2(a, b);                                                       \
  }                                                                                  \
  inline KERNELBATCH_TWO __h##name##2_sat(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {    \
    return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)};                   \
  }
KERNELBATCH_BINARY_(add, x + y)
KERNELBATCH_BINARY_(sub, x - y)
KERNELBATCH_BINARY_(mul, x* y)
#undef KERNELBATCH_BINARY_
inline KERNELBATCH_ONE __hdiv(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {
  return kernelbatch::detail::shortened(
      KERNELBATCH_RULES{},
      static_cast<double>(kernelbatch::detail::wide(a)) / kernelbatch::detail::wide(b));
}
inline KERNELBATCH_TWO __h2div(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {
  return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}
inline KERNELBATCH_ONE __hfma(KERNELBATCH_ONE a, KERNELBATCH_ONE b, KERNELBATCH_ONE c) {
  return KERNELBATCH_RAW{kernelbatch::detail::fused<KERNELBATCH_RULES>(
      kernelbatch::detail::wide(a), kernelbatch::detail::wide(b), kernelbatch::detail::wide(c))};
}
inline KERNELBATCH_ONE __hfma_sat(KERNELBATCH_ONE a, KERNELBATCH_ONE b, KERNELBATCH_ONE c) {
  return kernelbatch::detail::saturated(__hfma(a, b, c));
}
inline KERNELBATCH_ONE __hfma_relu(KERNELBATCH_ONE a, KERNELBATCH_ONE b, KERNELBATCH_ONE c) {
  return kernelbatch::detail::rectified(__hfma(a, b, c));
}
#define KERNELBATCH_FUSED_(end)                                                                  \
  inline KERNELBATCH_TWO __hfma2##end(KERNELBATCH_TWO a, KERNELBATCH_TWO b, KERNELBATCH_TWO c) { \
    return {__hfma##end(a.x, b.x, c.x), __hfma##end(a.y, b.y, c.y)};                             \
  }
KERNELBATCH_FUSED_()
KERNELBATCH_FUSED_(_sat)
KERNELBATCH_FUSED_(_relu)
#undef KERNELBATCH_FUSED_
inline KERNELBATCH_ONE __hneg(KERNELBATCH_ONE a) {
  const unsigned short bits = kernelbatch::detail::bits_of(a);
  if ((bits & 0x7fffu) > KERNELBATCH_RULES::infinity)
    return KERNELBATCH_RAW{KERNELBATCH_RULES::nan};
  return KERNELBATCH_RAW{static_cast<unsigned short>(bits ^ 0x8000u)};
}
inline KERNELBATCH_ONE __habs(KERNELBATCH_ONE a) {
  const auto bits = static_cast<unsigned short>(kernelbatch::detail::bits_of(a) & 0x7fffu);
  return KERNELBATCH_RAW{bits > KERNELBATCH_RULES::infinity ? KERNELBATCH_RULES::nan : bits};
}
inline KERNELBATCH_TWO __hneg2(KERNELBATCH_TWO a) { return {__hneg(a.x), __hneg(a.y)}; }
inline KERNELBATCH_TWO __habs2(KERNELBATCH_TWO a) { return {__habs(a.x), __habs(a.y)}; }
/// Complex numbers: a b + c.
inline KERNELBATCH_TWO __hcmadd(KERNELBATCH_TWO a, KERNELBATCH_TWO b, KERNELBATCH_TWO c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

#define KERNELBATCH_EXTREME_(name, greater, end, kept)                             \
  inline KERNELBATCH_ONE __h##name##end(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {    \
    return kernelbatch::detail::extreme(a, b, greater, kept);                      \
  }                                                                                \
  inline KERNELBATCH_TWO __h##name##2##end(KERNELBATCH_TWO a, KERNELBATCH_TWO b) { \
    return {__h##name##end(a.x, b.x), __h##name##end(a.y, b.y)};                   \
  }
KERNELBATCH_EXTREME_(max, true, , false)
KERNELBATCH_EXTREME_(min, false, , false)
KERNELBATCH_EXTREME_(max, true, _nan, true)
KERNELBATCH_EXTREME_(min, false, _nan, true)
#undef KERNELBATCH_EXTREME_

// ---- comparisons --------------------------------------------------------------------------------

inline bool __hisnan(KERNELBATCH_ONE a) {
  return (kernelbatch::detail::bits_of(a) & 0x7fffu) > KERNELBATCH_RULES::infinity;
}
inline int __hisinf(KERNELBATCH_ONE a) {
  const unsigned bits = kernelbatch::detail::bits_of(a);
  return (bits & 0x7fffu) != KERNELBATCH_RULES::infinity ? 0 : bits >> 15 != 0 ? -1 : 1;
}
inline KERNELBATCH_TWO __hisnan2(KERNELBATCH_TWO a) {
  return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};
}
#define KERNELBATCH_COMPARISON_(name, expression)                                           \
  inline bool __h##name(KERNELBATCH_ONE a, KERNELBATCH_ONE b) {                             \
    const float x = kernelbatch::detail::wide(a), y = kernelbatch::detail::wide(b);         \
    return expression;                                                                      \
  }                                                                                         \
  inline KERNELBATCH_TWO __h##name##2(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {               \
    return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f};          \
  }                                                                                         \
  inline bool __hb##name##2(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {                         \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
  }                                                                                         \
  inline unsigned __h##name##2_mask(KERNELBATCH_TWO a, KERNELBATCH_TWO b) {                 \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }
KERNELBATCH_COMPARISON_(eq, x == y)
KERNELBATCH_COMPARISON_(ne, x<y || x> y)
KERNELBATCH_COMPARISON_(le, x <= y)
KERNELBATCH_COMPARISON_(ge, x >= y)
KERNELBATCH_COMPARISON_(lt, x < y)
KERNELBATCH_COMPARISON_(gt, x > y)
KERNELBATCH_COMPARISON_(equ, !(x < y || x > y))
KERNELBATCH_COMPARISON_(neu, x != y)
KERNELBATCH_COMPARISON_(leu, !(x > y))
KERNELBATCH_COMPARISON_(geu, !(x < y))
KERNELBATCH_COMPARISON_(ltu, !(x >= y))
KERNELBATCH_COMPARISON_(gtu, !(x <= y))
#undef KERNELBATCH_COMPARISON_

// ---- functions ----------------------------------------------------------------------------------

#define KERNELBATCH_FUNCTION_(name, expression)                             \
  inline KERNELBATCH_ONE h##name(KERNELBATCH_ONE a) {                       \
    const double x = kernelbatch::detail::wide(a);                          \
    return kernelbatch::detail::shortened(KERNELBATCH_RULES{}, expression); \
  }                                                                         \
  inline KERNELBATCH_TWO h2##name(KERNELBATCH_TWO a) { return {h##name(a.x), h##name(a.y)}; }
KERNELBATCH_FUNCTION_(ceil, __builtin_ceil(x))
KERNELBATCH_FUNCTION_(floor, __builtin_floor(x))
KERNELBATCH_FUNCTION_(rint, __builtin_rint(x))
KERNELBATCH_FUNCTION_(trunc, __builtin_trunc(x))
KERNELBATCH_FUNCTION_(sqrt, __builtin_sqrt(x))
KERNELBATCH_FUNCTION_(rsqrt, 1 / __builtin_sqrt(x))
KERNELBATCH_FUNCTION_(rcp, 1 / x)
KERNELBATCH_FUNCTION_(exp, __builtin_exp(x))
KERNELBATCH_FUNCTION_(exp2, __builtin_exp2(x))
KERNELBATCH_FUNCTION_(exp10, __builtin_pow(10.0, x))
KERNELBATCH_FUNCTION_(log, __builtin_log(x))
KERNELBATCH_FUNCTION_(log2, __builtin_log2(x))
KERNELBATCH_FUNCTION_(log10, __builtin_log10(x))
KERNELBATCH_FUNCTION_(sin, __builtin_sin(x))
KERNELBATCH_FUNCTION_(cos, __builtin_cos(x))
KERNELBATCH_FUNCTION_(tanh, __builtin_tanh(x))
KERNELBATCH_FUNCTION_(tanh_approx, __builtin_tanh(x))
#undef KERNELBATCH_FUNCTION_

// ---- operators ----------------------------------------------------------------------------------

#define KERNELBATCH_OPERATOR_(T, sign, function)                                        \
  KERNELBATCH_INLINE T operator sign(const T& a, const T& b) { return function(a, b); } \
  KERNELBATCH_INLINE T& operator sign##=(T& a, const T& b) { return a = function(a, b); }
#define KERNELBATCH_OPERATORS_(T, add, sub, mul, div, neg, one)      \
  KERNELBATCH_OPERATOR_(T, +, add)                                   \
  KERNELBATCH_OPERATOR_(T, -, sub)                                   \
  KERNELBATCH_OPERATOR_(T, *, mul)                                   \
  KERNELBATCH_OPERATOR_(T, /, div)                                   \
  KERNELBATCH_INLINE T operator+(const T& a) { return a; }           \
  KERNELBATCH_INLINE T operator-(const T& a) { return neg(a); }      \
  KERNELBATCH_INLINE T& operator++(T& a) { return a = add(a, one); } \
  KERNELBATCH_INLINE T& operator--(T& a) { return a = sub(a, one); } \
  KERNELBATCH_INLINE T operator++(T& a, int) {                       \
    const T before = a;                                              \
    ++a;                                                             \
    return before;                                                   \
  }                                                                  \
  KERNELBATCH_INLINE T operator--(T& a, int) {                       \
    const T before = a;                                              \
    --a;                                                             \
    return before;                                                   \
  }
#define KERNELBATCH_COMPARING_(T, eq, ne, gt, lt, ge, le)                         \
  KERNELBATCH_INLINE bool operator==(const T& a, const T& b) { return eq(a, b); } \
  KERNELBATCH_INLINE bool operator!=(const T& a, const T& b) { return ne(a, b); } \
  KERNELBATCH_INLINE bool operator>(const T& a, const T& b) { return gt(a, b); }  \
  KERNELBATCH_INLINE bool operator<(const T& a, const T& b) { return lt(a, b); }  \
  KERNELBATCH_INLINE bool operator>=(const T& a, const T& b) { return ge(a, b); } \
  KERNELBATCH_INLINE bool operator<=(const T& a, const T& b) { return le(a, b); }
KERNELBATCH_OPERATORS_(KERNELBATCH_ONE, __hadd, __hsub, __hmul, __hdiv, __hneg,
                       KERNELBATCH_ONE(1.0f))
KERNELBATCH_OPERATORS_(KERNELBATCH_TWO, __hadd2, __hsub2, __hmul2, __h2div, __hneg2,
                       (KERNELBATCH_TWO{1.0f, 1.0f}))
KERNELBATCH_COMPARING_(KERNELBATCH_ONE, __heq, __hneu, __hgt, __hlt, __hge, __hle)
KERNELBATCH_COMPARING_(KERNELBATCH_TWO, __hbeq2, __hbneu2, __hbgt2, __hblt2, __hbge2, __hble2)
#undef KERNELBATCH_OPERATOR_
#undef KERNELBATCH_OPERATORS_
#undef KERNELBATCH_COMPARING_
#undef KERNELBATCH_PASTE_
#undef KERNELBATCH_PASTE
#undef KERNELBATCH_CALLED
#undef KERNELBATCH_CALLED2
#undef KERNELBATCH_ONE
#undef KERNELBATCH_TWO
#undef KERNELBATCH_RAW
#undef KERNELBATCH_RAWS
#undef KERNELBATCH_WORD
#undef KERNELBATCH_WORDS
#undef KERNELBATCH_RULES
#undef KERNELBATCH_OTHER
