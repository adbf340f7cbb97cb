// Vector types that few kernels use, for kernels on the host, under CUDA's names.
// Asked for by: long1 long2 long3 long4 ulong1 ulong2 ulong3 ulong4 make_long1 make_long2
// make_long3 make_long4 make_ulong1 make_ulong2 make_ulong3 make_ulong4 long4_16a long4_32a
// ulong4_16a ulong4_32a longlong4_16a longlong4_32a ulonglong4_16a ulonglong4_32a double4_16a
// double4_32a make_long4_* make_ulong4_* make_longlong4_* make_ulonglong4_* make_double4_*
// make_char1 make_uchar1 make_short1 make_ushort1 make_int1 make_uint1 make_longlong1
// make_ulonglong1 make_float1 make_double1.
#pragma once

#define KERNELBATCH_VECTORS(T, name)                                 \
  struct name##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  struct alignas(2 * sizeof(T)) name##2 {                            \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(16) name##4 {                                       \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##1 make_##name##1(T x) { return {x}; }                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
KERNELBATCH_VECTORS(long, long)
KERNELBATCH_VECTORS(unsigned long, ulong)
#undef KERNELBATCH_VECTORS

#define KERNELBATCH_ALIGNED(T, name, bytes)  \
  struct alignas(bytes) name##4_##bytes##a { \
    T x, y, z, w;                            \
  };                                         \
  inline name##4_##bytes##a make_##name##4_##bytes##a(T x, T y, T z, T w) { return {x, y, z, w}; }
#define KERNELBATCH_ALIGNMENTS(T, name) \
  KERNELBATCH_ALIGNED(T, name, 16)      \
  KERNELBATCH_ALIGNED(T, name, 32)
KERNELBATCH_ALIGNMENTS(long, long)
KERNELBATCH_ALIGNMENTS(unsigned long, ulong)
KERNELBATCH_ALIGNMENTS(long long, longlong)
KERNELBATCH_ALIGNMENTS(unsigned long long, ulonglong)
KERNELBATCH_ALIGNMENTS(double, double)
#undef KERNELBATCH_ALIGNMENTS
#undef KERNELBATCH_ALIGNED

#define KERNELBATCH_SINGLE(T, name) \
  inline name##1 make_##name##1(T x) { return {x}; }
KERNELBATCH_SINGLE(signed char, char)
KERNELBATCH_SINGLE(unsigned char, uchar)
KERNELBATCH_SINGLE(short, short)
KERNELBATCH_SINGLE(unsigned short, ushort)
KERNELBATCH_SINGLE(int, int)
KERNELBATCH_SINGLE(unsigned, uint)
KERNELBATCH_SINGLE(long long, longlong)
KERNELBATCH_SINGLE(unsigned long long, ulonglong)
KERNELBATCH_SINGLE(float, float)
KERNELBATCH_SINGLE(double, double)
#undef KERNELBATCH_SINGLE
