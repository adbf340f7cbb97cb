// mse in plain CUDA: 16-byte loads, warp shuffles, one partial sum per block; then one block over them.

namespace {

constexpr int kBlock = 512;
constexpr int kWarps = kBlock / 32;

template <class T>
__device__ T sum_of_block(T value) {
  __shared__ T sums[kWarps];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < kWarps ? sums[threadIdx.x] : T(0);
  if (threadIdx.x < 32)
    for (int distance = kWarps / 2; distance > 0; distance /= 2)
      value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

/// `Vector` holds 16 bytes of T.
template <class T, class Vector>
__device__ T squares_of(const T* y_true, const T* y_pred, long long n) {
  constexpr int kWidth = sizeof(Vector) / sizeof(T);
  constexpr int kUnroll = 4;
  const long long vectors = n / kWidth;
  const long long step = (long long)gridDim.x * kBlock;
  const Vector* true_vectors = reinterpret_cast<const Vector*>(y_true);
  const Vector* pred_vectors = reinterpret_cast<const Vector*>(y_pred);
  T sums[kWidth] = {};
  long long k = (long long)blockIdx.x * kBlock + threadIdx.x;
  for (; k + (kUnroll - 1) * step < vectors; k += kUnroll * step) {
    Vector a[kUnroll], b[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      a[u] = true_vectors[k + u * step];
      b[u] = pred_vectors[k + u * step];
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int w = 0; w < kWidth; ++w) {
        const T difference = reinterpret_cast<const T*>(&b[u])[w] - reinterpret_cast<const T*>(&a[u])[w];
        sums[w] += difference * difference;
      }
    }
  }
  for (; k < vectors; k += step) {
    const Vector a = true_vectors[k];
    const Vector b = pred_vectors[k];
#pragma unroll
    for (int w = 0; w < kWidth; ++w) {
      const T difference = reinterpret_cast<const T*>(&b)[w] - reinterpret_cast<const T*>(&a)[w];
      sums[w] += difference * difference;
    }
  }
  T sum = 0;
  for (int w = 0; w < kWidth; ++w) sum += sums[w];
  const long long rest = vectors * kWidth + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) {
    const T difference = y_pred[rest] - y_true[rest];
    sum += difference * difference;
  }
  return sum;
}

template <class T>
__device__ void mean_of(const T* partial, int count, T* mse, double n) {
  T sum = 0;
  for (int k = threadIdx.x; k < count; k += kBlock) sum += partial[k];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *mse = static_cast<T>(sum / n);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kBlock)
squares_float32(const float* y_true, const float* y_pred, float* partial, long long n) {
  const float sum = sum_of_block(squares_of<float, float4>(y_true, y_pred, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(kBlock)
squares_float64(const double* y_true, const double* y_pred, double* partial, long long n) {
  const double sum = sum_of_block(squares_of<double, double2>(y_true, y_pred, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(kBlock)
mean_float32(const float* partial, int count, float* mse, double n) {
  mean_of(partial, count, mse, n);
}

extern "C" __global__ void __launch_bounds__(kBlock)
mean_float64(const double* partial, int count, double* mse, double n) {
  mean_of(partial, count, mse, n);
}
