// CUDA's bfloat16 for kernels on the host: every function gives the bits of a GPU.
// Asked for by: __nv_bfloat16 __nv_bfloat162 nv_bfloat16 nv_bfloat162 __nv_bfloat16_raw
// __nv_bfloat162_raw make_bfloat162 __float2bfloat16* __bfloat162*.
#pragma once

#include "cuda_fp16.h"

#define KERNELBATCH_ONE __nv_bfloat16
#define KERNELBATCH_TWO __nv_bfloat162
#define KERNELBATCH_RAW __nv_bfloat16_raw
#define KERNELBATCH_RAWS __nv_bfloat162_raw
#define KERNELBATCH_WORD bfloat16
#define KERNELBATCH_WORDS bfloat162
#define KERNELBATCH_RULES kernelbatch::detail::bfloat_rules
#define KERNELBATCH_OTHER __half
#include "kernelbatch/host_half_family.hpp"

inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __half::__half(__nv_bfloat16 value) : __half(__bfloat162float(value)) {}
inline __nv_bfloat16::__nv_bfloat16(__half value) : __nv_bfloat16(__half2float(value)) {}

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)
