// Arithmetic whose PTX, made by `nvcc -ptx -fmad=false -arch=sm_80`, gives the same bits as this text. The kernels take
// (const float* in, float* out, int n).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float mixed(unsigned long long x) {
  x ^= x >> 29;
  x *= 0x9e3779b97f4a7c15ull;
  return static_cast<float>(x >> 40);
}
__device__ unsigned long long bits_of(double x) { return __double_as_longlong(x); }

extern "C" {

__global__ void roundings(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = in[i], b = in[(i * 7 + 1) % n], c = in[(i * 3 + 2) % n];
  unsigned long long x = 0;
  x = x * 31 + __float_as_uint(__fadd_rz(a, b)) + __float_as_uint(__fmul_ru(a, b));
  x = x * 31 + __float_as_uint(__fmaf_rd(a, b, c)) + __float_as_uint(__fdiv_rz(a, b + 100));
  x = x * 31 + __float_as_uint(__fsqrt_ru(fabsf(a))) + __float_as_uint(__frcp_rd(a + 200));
  x = x * 31 + bits_of(__dadd_ru(a, b / 3.0)) + bits_of(__dmul_rd(a, b / 3.0));
  x = x * 31 + bits_of(__fma_rz(a, b / 3.0, c)) + bits_of(__ddiv_ru(a, 7)) + bits_of(sqrt(a * a + 2.0));
  x = x * 31 + __float_as_uint(__saturatef(a)) + __float_as_uint(fminf(a, b)) + __float_as_uint(fmaxf(a, nanf("")));
  out[i] = mixed(x);
}

__global__ void conversions(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = in[i] * 1e4f;
  const double d = static_cast<double>(a) * 1e6 + 0.5;
  unsigned long long x = 0;
  x = x * 31 + __float2int_rn(a) + __float2int_ru(a) + __float2uint_rd(a) + __float2uint_rz(-a);
  x = x * 31 + __float2ll_rn(a * 1e12f) + __float2ull_ru(a * 1e15f) + __double2int_rd(d) + __double2uint_ru(d);
  x = x * 31 + __double2ll_rn(d * 1e9) + __double2ull_rz(d * 1e9) + static_cast<signed char>(static_cast<int>(a));
  x = x * 31 + __float_as_uint(__int2float_ru(static_cast<int>(a) * 12345)) + __float_as_uint(__uint2float_rz(i * 40503u * 65537u));
  x = x * 31 + __float_as_uint(__ll2float_rd(static_cast<long long>(d))) + bits_of(__ll2double_rn(x)) + bits_of(__ull2double_ru(x));
  x = x * 31 + __float_as_uint(__double2float_ru(d)) + __float_as_uint(__double2float_rz(d)) + bits_of(a);
  x = x * 31 + __half_as_ushort(__float2half_rn(in[i])) + __half_as_ushort(__float2half_rz(in[i])) + __half_as_ushort(__int2half_rn(i * 3));
  x = x * 31 + __bfloat16_as_ushort(__float2bfloat16_rn(in[i])) + __half2int_rz(__float2half_rn(in[i]));
  x = x * 31 + __float_as_uint(truncf(a)) + __float_as_uint(floorf(a)) + __float_as_uint(rintf(a)) + bits_of(ceil(d));
  out[i] = mixed(x);
}

__global__ void halves(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half a = __float2half_rn(in[i]), b = __float2half_rn(in[(i * 7 + 1) % n]);
  const __half2 p = __halves2half2(a, b), q = __halves2half2(b, a);
  const __nv_bfloat162 s = __floats2bfloat162_rn(in[i], in[(i + 3) % n]);
  unsigned long long x = 0;
  x = x * 31 + __half_as_ushort(__hadd(a, b)) + __half_as_ushort(__hmul(a, b)) + __half_as_ushort(__hfma(a, b, a));
  x = x * 31 + __half_as_ushort(__hsub_sat(a, b)) + __half_as_ushort(__hmax(a, b)) + __half_as_ushort(__hneg(a)) + __half_as_ushort(__habs(b));
  const __half2 r = __hfma2(p, q, __hadd2(p, __hmul2(q, p)));
  x = x * 31 + __half_as_ushort(__low2half(r)) + __half_as_ushort(__high2half(__hmin2(r, q)));
  const __nv_bfloat162 t = __hfma2(s, s, s);
  x = x * 31 + __bfloat16_as_ushort(t.x) + __bfloat16_as_ushort(__hmax(t.y, s.x)) + (__hlt(a, b) ? 1 : 0) + (__hbeq2(p, q) ? 2 : 0);
  out[i] = mixed(x);
}

__global__ void wide_integers(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long a = i * 0x9e3779b97f4a7c15ull, b = a * a + 1;
  const unsigned __int128 p = static_cast<unsigned __int128>(a) * b + a, q = p + (static_cast<unsigned __int128>(b) << 64);
  const __int128 r = static_cast<__int128>(q) - static_cast<__int128>(p) * 3;
  unsigned long long x = static_cast<unsigned long long>(r >> 64) ^ static_cast<unsigned long long>(r);
  const unsigned u = static_cast<unsigned>(a >> 13), v = static_cast<unsigned>(b >> 7);
  x = x * 31 + __byte_perm(u, v, i) + __funnelshift_rc(u, v, i) + __funnelshift_l(u, v, 40) + __brevll(a) + __ffsll(b);
  x = x * 31 + __vaddss2(u, v) + __vmaxs2(u, v) + __vcmpgtu4(u, v) + __vavgs2(u, v) + __vsubus4(u, v);
  x = x * 31 + __hadd(static_cast<int>(u), static_cast<int>(v)) + __rhadd(static_cast<int>(u), static_cast<int>(v)) + __mul24(u, v) + __umul24(u, v);
  x = x * 31 + a / (v | 1) + a % (u | 1) + static_cast<long long>(a) / static_cast<int>(v | 1) + static_cast<short>(u) * static_cast<short>(v);
  x = x * 31 + __dp2a_lo(static_cast<int>(u), static_cast<int>(v), 5) + __dp4a(u, v, 9u) + __clzll(a >> (i % 64)) + __popcll(b) + (a << (i % 64)) + (a >> (i % 64));
  out[i] = mixed(x);
}
}
