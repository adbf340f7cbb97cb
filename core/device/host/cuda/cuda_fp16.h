// CUDA's half precision for kernels on the host: every function gives the bits of a GPU.
// Asked for by: half half2 __half __half2 __half_raw __half2_raw nv_half nv_half2 make_half2
// __float2half* __half2* __hfma* __hadd2* __hmul2* __hsub2*.
#pragma once

#include "kernelbatch/host_half_bits.hpp"

struct __nv_bfloat16;
#define KERNELBATCH_ONE __half
#define KERNELBATCH_TWO __half2
#define KERNELBATCH_RAW __half_raw
#define KERNELBATCH_RAWS __half2_raw
#define KERNELBATCH_WORD half
#define KERNELBATCH_WORDS half2
#define KERNELBATCH_RULES kernelbatch::detail::half_rules
#define KERNELBATCH_OTHER __nv_bfloat16
#include "kernelbatch/host_half_family.hpp"

inline __half2 __half2half2(__half x) { return {x, x}; }

using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)
