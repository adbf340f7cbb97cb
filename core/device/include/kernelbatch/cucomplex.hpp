// What cuComplex.h declares, as complex<T>: for sources translated by translate_cucomplex. The
// types have real() and imag() instead of .x and .y.
#pragma once

#include "kernelbatch/device.hpp"

typedef kernelbatch::complex<float> cuFloatComplex;
typedef kernelbatch::complex<float> cuComplex;
typedef kernelbatch::complex<double> cuDoubleComplex;

// One function of each precision: `cuCadd` and `cuCaddf`.
#define KERNELBATCH_CUCOMPLEX(T, C, f)                                                         \
  KERNELBATCH_INLINE T cuCreal##f(C z) { return z.re; }                                        \
  KERNELBATCH_INLINE T cuCimag##f(C z) { return z.im; }                                        \
  KERNELBATCH_INLINE T cuCabs##f(C z) { return kernelbatch::abs(z); }                          \
  KERNELBATCH_INLINE C cuConj##f(C z) { return kernelbatch::conj(z); }                         \
  KERNELBATCH_INLINE C cuCadd##f(C a, C b) { return a + b; }                                   \
  KERNELBATCH_INLINE C cuCsub##f(C a, C b) { return a - b; }                                   \
  KERNELBATCH_INLINE C cuCmul##f(C a, C b) { return a * b; }                                   \
  KERNELBATCH_INLINE C cuCdiv##f(C a, C b) { return a / b; }                                   \
  KERNELBATCH_INLINE C cuCfma##f(C a, C b, C c) {                                              \
    return C(fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))); \
  }
KERNELBATCH_CUCOMPLEX(float, cuFloatComplex, f)
KERNELBATCH_CUCOMPLEX(double, cuDoubleComplex, )
#undef KERNELBATCH_CUCOMPLEX

KERNELBATCH_INLINE cuFloatComplex make_cuFloatComplex(float re, float im) { return {re, im}; }
KERNELBATCH_INLINE cuComplex make_cuComplex(float re, float im) { return {re, im}; }
KERNELBATCH_INLINE cuDoubleComplex make_cuDoubleComplex(double re, double im) { return {re, im}; }
KERNELBATCH_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return cuDoubleComplex(z);
}
KERNELBATCH_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return cuFloatComplex(z);
}
