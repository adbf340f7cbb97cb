#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct View { const float* data; double* result; int size; };
extern "C" __global__ void kinds(const float* a, double* b, const __half* c, const __nv_bfloat16* d, const int* e, unsigned* f, unsigned char* g, const signed char* h, long long* i, View view, const __half2* j, float4* k, unsigned* hist, float* copy, const float* copied, short* s) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  b[n] = a[n] * 2.0 + __half2float(c[n]) + __bfloat162float(d[n]) + (e[n] < 3 ? 1 : 2);
  f[n] = f[n] / 7u; g[n] = g[n] + h[n]; i[n] += 5;
  view.result[n] = view.data[n] + __low2float(j[n]);
  float4 v = k[n]; v.x += 1; k[n] = v;
  atomicAdd(&hist[e[n]], 1u);
  copy[n] = copied[n]; s[n] = s[n] * 3;
}
