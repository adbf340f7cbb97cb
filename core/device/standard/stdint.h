// Integers of fixed width, for kernels on every device.
// Asked for by: INT8_MAX INT8_MIN UINT8_MAX INT16_MAX INT16_MIN UINT16_MAX INT32_MAX INT32_MIN
// UINT32_MAX INT64_MAX INT64_MIN UINT64_MAX INTPTR_MAX UINTPTR_MAX SIZE_MAX intptr_t uintptr_t
// intmax_t uintmax_t.
#pragma once

#ifdef KERNELBATCH_ON_HOST
#define KERNELBATCH_WIDE long
#else
#define KERNELBATCH_WIDE long long
#endif
#define KERNELBATCH_INTEGERS(kind)          \
  using int##kind##8_t = signed char;       \
  using int##kind##16_t = short;            \
  using int##kind##32_t = int;              \
  using int##kind##64_t = KERNELBATCH_WIDE; \
  using uint##kind##8_t = unsigned char;    \
  using uint##kind##16_t = unsigned short;  \
  using uint##kind##32_t = unsigned;        \
  using uint##kind##64_t = unsigned KERNELBATCH_WIDE;
KERNELBATCH_INTEGERS()
KERNELBATCH_INTEGERS(_least)
#undef KERNELBATCH_INTEGERS
using int_fast8_t = signed char;
using uint_fast8_t = unsigned char;
using int_fast16_t = short;
using int_fast32_t = int;
using int_fast64_t = KERNELBATCH_WIDE;
using uint_fast16_t = unsigned short;
using uint_fast32_t = unsigned;
using uint_fast64_t = unsigned KERNELBATCH_WIDE;
using intmax_t = KERNELBATCH_WIDE;
using uintmax_t = unsigned KERNELBATCH_WIDE;
#ifdef KERNELBATCH_ON_HOST
using intptr_t = long;
using uintptr_t = unsigned long;
#else
using intptr_t = long long;
using uintptr_t = unsigned long long;
#endif
#undef KERNELBATCH_WIDE

#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32767 - 1)
#define UINT16_MAX 65535
#ifndef INT32_MAX
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_MAX 18446744073709551615ull
#endif
#define INTPTR_MAX 9223372036854775807ll
#define UINTPTR_MAX 18446744073709551615ull
#ifndef SIZE_MAX
#define SIZE_MAX 18446744073709551615ull
#endif
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c##ll
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##u
#define UINT64_C(c) c##ull
