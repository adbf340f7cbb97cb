// CUDA's older complex numbers on the host device: pairs with parts .x and .y.
#pragma once

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

// One function of each precision: `cuCadd` and `cuCaddf`.
#define KERNELBATCH_CUCOMPLEX(T, C, f)                                                    \
  inline T cuCreal##f(C z) { return z.x; }                                                \
  inline T cuCimag##f(C z) { return z.y; }                                                \
  inline C make_##C(T re, T im) { return {re, im}; }                                      \
  inline C cuConj##f(C z) { return {z.x, -z.y}; }                                         \
  inline C cuCadd##f(C a, C b) { return {a.x + b.x, a.y + b.y}; }                         \
  inline C cuCsub##f(C a, C b) { return {a.x - b.x, a.y - b.y}; }                         \
  inline C cuCmul##f(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline C cuCdiv##f(C a, C b) {                                                          \
    const T scale = T(1) / (::fabs(b.x) + ::fabs(b.y));                                   \
    const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;       \
    const T norm = T(1) / (br * br + bi * bi);                                            \
    return {(ar * br + ai * bi) * norm, (ai * br - ar * bi) * norm};                      \
  }                                                                                       \
  inline T cuCabs##f(C z) { return ::hypot(z.x, z.y); }                                   \
  inline C cuCfma##f(C a, C b, C c) {                                                     \
    return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};                    \
  }
KERNELBATCH_CUCOMPLEX(float, cuFloatComplex, f)
KERNELBATCH_CUCOMPLEX(double, cuDoubleComplex, )
#undef KERNELBATCH_CUCOMPLEX
inline cuComplex make_cuComplex(float re, float im) { return {re, im}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return {float(z.x), float(z.y)}; }
