// Bessel functions of the first and second kind for kernels on the host, under CUDA's names; apart
// from others, since kernels have variables called y0 and y1.
//
// Asked for by: j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf.
#pragma once

extern "C" double j0(double) noexcept;
extern "C" double j1(double) noexcept;
extern "C" double jn(int, double) noexcept;
extern "C" double y0(double) noexcept;
extern "C" double y1(double) noexcept;
extern "C" double yn(int, double) noexcept;
// In double: the C library's own for floats are less exact than CUDA's.
#ifndef KERNELBATCH_STANDARD_HEADERS
inline float j0f(float x) { return static_cast<float>(j0(static_cast<double>(x))); }
inline float j1f(float x) { return static_cast<float>(j1(static_cast<double>(x))); }
inline float jnf(int n, float x) { return static_cast<float>(jn(n, static_cast<double>(x))); }
inline float y0f(float x) { return static_cast<float>(y0(static_cast<double>(x))); }
inline float y1f(float x) { return static_cast<float>(y1(static_cast<double>(x))); }
inline float ynf(int n, float x) { return static_cast<float>(yn(n, static_cast<double>(x))); }
KERNELBATCH_INLINE float j0(float x) { return j0f(x); }
KERNELBATCH_INLINE float j1(float x) { return j1f(x); }
KERNELBATCH_INLINE float jn(int n, float x) { return jnf(n, x); }
KERNELBATCH_INLINE float y0(float x) { return y0f(x); }
KERNELBATCH_INLINE float y1(float x) { return y1f(x); }
KERNELBATCH_INLINE float yn(int n, float x) { return ynf(n, x); }
#endif
