// Products of matrices, of which nvcc makes wmma.ptx: nvcc -ptx -arch=sm_80 -fmad=false wmma.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <class T>
__device__ T number(float value, int k) {
  return T(value / 16 + float(k % 3));
}
template <>
__device__ signed char number(float value, int) {
  return (signed char)(int)value;
}
template <>
__device__ unsigned char number(float value, int) {
  return (unsigned char)(int)(value < 0 ? -value : value);
}

/// Elements between rows or columns of a matrix without gaps.
template <class Layout>
__device__ int stride(int rows, int columns) {
  return columns;
}
template <>
__device__ int stride<wmma::col_major>(int rows, int columns) {
  return rows;
}

/// out[0...] of the first block: D = A B + C.
template <int M, int N, int K, class In, class Stored, class C, class D, class LayoutA,
          class LayoutB>
__device__ void product(const float* in, float* out) {
  __shared__ __align__(32) Stored a[M * K], b[K * N];
  __shared__ __align__(32) C c[M * N];
  __shared__ __align__(32) D d[M * N];
  for (int k = threadIdx.x; k < M * K; k += blockDim.x) a[k] = number<Stored>(in[k], k);
  for (int k = threadIdx.x; k < K * N; k += blockDim.x) b[k] = number<Stored>(in[k + 300], k);
  for (int k = threadIdx.x; k < M * N; k += blockDim.x) c[k] = C(in[k + 500] / 8);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x < 32) {
    wmma::fragment<wmma::matrix_a, M, N, K, In, LayoutA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> right;
    wmma::fragment<wmma::accumulator, M, N, K, C> before;
    wmma::fragment<wmma::accumulator, M, N, K, D> result;
    wmma::load_matrix_sync(left, a, stride<LayoutA>(M, K));
    wmma::load_matrix_sync(right, b, stride<LayoutB>(K, N));
    wmma::load_matrix_sync(before, c, N, wmma::mem_row_major);
    for (int k = 0; k < before.num_elements; ++k) before.x[k] = before.x[k] + before.x[k];
    wmma::mma_sync(result, left, right, before);
    wmma::store_matrix_sync(d, result, M, wmma::mem_col_major);
  }
  __syncthreads();
  if (blockIdx.x == 0)
    for (int k = threadIdx.x; k < M * N; k += blockDim.x) out[k] = float(d[k]);
}

using Row = wmma::row_major;
using Column = wmma::col_major;
#define KERNEL(name, ...)                                                       \
  extern "C" __global__ void name(const float* in, float* out, int) {           \
    product<__VA_ARGS__>(in, out);                                              \
  }
KERNEL(wmma_f16, 16, 16, 16, __half, __half, float, float, Row, Column)
KERNEL(wmma_f16_short, 8, 32, 16, __half, __half, __half, __half, Column, Row)
KERNEL(wmma_f16_tall, 32, 8, 16, __half, __half, float, __half, Row, Row)
KERNEL(wmma_bf16, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, float, Column, Column)
KERNEL(wmma_tf32, 16, 16, 8, wmma::precision::tf32, float, float, float, Row, Row)
KERNEL(wmma_s8, 16, 16, 16, signed char, signed char, int, int, Row, Column)
KERNEL(wmma_u8, 32, 8, 16, unsigned char, unsigned char, int, int, Column, Row)
KERNEL(wmma_f64, 8, 8, 4, double, double, double, double, Row, Row)
