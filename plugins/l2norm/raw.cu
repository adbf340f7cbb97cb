// Norms of rows or columns in plain CUDA: blocks share a long row, lanes of a warp a short one, threads a
// column; where there are several sums, a thread adds them up. Neighbouring threads always read
// neighbouring elements.
#include <kernelbatch/transform.cuh>

namespace {

template <class T>
__device__ void row_squares(const T* x, T* parts, long long rows, long long length, long long pieces) {
  // Pieces begin at multiples of 16 bytes where the row does.
  const long long piece_length = (length + pieces - 1) / pieces + 15 & ~15ll;
  for (long long part = blockIdx.x; part < rows * pieces; part += gridDim.x) {
    const long long row = part % rows * length;
    const long long first = part / rows * piece_length;
    const long long begin = first < length ? first : length;
    const long long end = begin + piece_length < length ? begin + piece_length : length;
    const T sum = kernelbatch::block_transform_sum<T>(
        row + begin, row + end, [](T value) { return value * value; }, x);
    if (threadIdx.x == 0) parts[part] = sum;
  }
}

// norm[row] = root of the sum of the row's squares, `lanes` neighbours of a warp for each row: 16 bytes a load
// where every row begins at a multiple of 16.
template <class T>
__device__ void short_rows(const T* x, T* norm, long long rows, long long length, int lanes) {
  constexpr int kWidth = 16 / sizeof(T);
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x / lanes;
  const int lane = threadIdx.x % lanes;
  // A warp's lanes stay together to the last round: they exchange their sums.
  for (long long first = 0; first < rows; first += step) {
    const long long row = first + thread / lanes;
    T sums[kWidth] = {};
    if (row < rows && length % kWidth == 0) {
      using Pack = kernelbatch::detail::transform_pack<T, kWidth>;
      const Pack* packs = reinterpret_cast<const Pack*>(x + row * length);
      for (long long k = lane; k < length / kWidth; k += lanes) {
        const Pack pack = packs[k];
#pragma unroll
        for (int w = 0; w < kWidth; ++w) sums[w] += pack.at[w] * pack.at[w];
      }
    } else if (row < rows) {
      for (long long k = lane; k < length; k += lanes) sums[0] += x[row * length + k] * x[row * length + k];
    }
    T sum = 0;
#pragma unroll
    for (int w = 0; w < kWidth; ++w) sum += sums[w];
    for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane == 0 && row < rows) norm[row] = sqrt(sum);
  }
}

template <class T>
__device__ void column_squares(const T* x, T* parts, long long columns, long long length, long long pieces) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long part = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       part < columns * pieces; part += step) {
    const long long column = part % columns;
    const long long end = (part / columns + 1) * length / pieces;
    long long k = part / columns * length / pieces;
    T sums[8] = {};
    for (; k + 7 < end; k += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const T value = x[(k + j) * columns + column];
        sums[j] += value * value;
      }
    }
    for (; k < end; ++k) {
      const T value = x[k * columns + column];
      sums[0] += value * value;
    }
    parts[part] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}

template <class T>
__device__ void roots(const T* parts, T* norm, long long norms, long long pieces) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < norms; k += step) {
    T sum = 0;
    for (long long piece = 0; piece < pieces; ++piece) sum += parts[piece * norms + k];
    norm[k] = sqrt(sum);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
row_squares_float32(const float* x, float* parts, long long norms, long long length, long long pieces) {
  row_squares(x, parts, norms, length, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
short_rows_float32(const float* x, float* norm, long long rows, long long length, int lanes) {
  short_rows(x, norm, rows, length, lanes);
}
extern "C" __global__ void __launch_bounds__(256)
column_squares_float32(const float* x, float* parts, long long norms, long long length, long long pieces) {
  column_squares(x, parts, norms, length, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
roots_float32(const float* parts, float* norm, long long norms, long long pieces) {
  roots(parts, norm, norms, pieces);
}

extern "C" __global__ void __launch_bounds__(256)
row_squares_float64(const double* x, double* parts, long long norms, long long length, long long pieces) {
  row_squares(x, parts, norms, length, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
short_rows_float64(const double* x, double* norm, long long rows, long long length, int lanes) {
  short_rows(x, norm, rows, length, lanes);
}
extern "C" __global__ void __launch_bounds__(256)
column_squares_float64(const double* x, double* parts, long long norms, long long length, long long pieces) {
  column_squares(x, parts, norms, length, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
roots_float64(const double* parts, double* norm, long long norms, long long pieces) {
  roots(parts, norm, norms, pieces);
}
