// z = (x − y)² in plain CUDA: as a stream where nothing is broadcast or strided, else by rows.
#include <kernelbatch/transform.cuh>

namespace {

template <class T>
__device__ T squared(T x, T y) {
  const T difference = x - y;
  return difference * difference;
}

/// `kWidth` elements of a row, `step` apart; where it is 1, as one load.
template <int kWidth, class T>
__device__ kernelbatch::pack<T, kWidth> load(const T* from, long long step) {
  kernelbatch::pack<T, kWidth> loaded;
  if (kWidth > 1 && step == 1) {
    loaded = *reinterpret_cast<const kernelbatch::pack<T, kWidth>*>(from);
  } else {
#pragma unroll
    for (int w = 0; w < kWidth; ++w) loaded.value[w] = from[w * step];
  }
  return loaded;
}

/// A matrix with any distance between rows and columns, in elements; 0 repeats.
template <class T>
struct Matrix {
  const T* data;
  long long row, column;

  template <int kWidth>
  __device__ kernelbatch::pack<T, kWidth> at(long long r, long long c) const {
    return load<kWidth>(data + r * row + c * column, column);
  }
};

/// Each thread has `kWidth` columns of four rows, whose loads are in flight together; a row that y repeats is loaded
/// once.
template <int kWidth, class T>
__device__ void by_rows(const Matrix<T>& x, const Matrix<T>& y, T* z, long long rows, long long columns) {
  constexpr int kRows = 4;
  const long long column = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * kWidth;
  if (column >= columns) return;
  const long long step = static_cast<long long>(gridDim.y) * blockDim.y * kRows;
  for (long long first = (static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y) * kRows; first < rows;
       first += step) {
    kernelbatch::pack<T, kWidth> left[kRows], right[kRows];
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
      // The last row again in place of those that are not there.
      const long long row = first + u < rows ? first + u : rows - 1;
      left[u] = x.template at<kWidth>(row, column);
      if (u == 0 || y.row != 0)
        right[u] = y.template at<kWidth>(row, column);
      else
        right[u] = right[0];
    }
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
#pragma unroll
      for (int w = 0; w < kWidth; ++w) left[u].value[w] = squared(left[u].value[w], right[u].value[w]);
      if (first + u < rows)
        *reinterpret_cast<kernelbatch::pack<T, kWidth>*>(z + (first + u) * columns + column) = left[u];
    }
  }
}

/// `width` is 1, or as many elements as 16 bytes have where that divides the columns and rows of x and z begin at
/// multiples of 16 bytes, as those of y do where they are not repeated elements.
template <class T>
__device__ void by_rows(const Matrix<T>& x, const Matrix<T>& y, T* z, long long rows, long long columns, int width) {
  if (width > 1)
    by_rows<16 / sizeof(T)>(x, y, z, rows, columns);
  else
    by_rows<1>(x, y, z, rows, columns);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
squared_diff_int32(const int* x, const int* y, int* z, long long n) {
  kernelbatch::transform(n, z, [](int a, int b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256, 4)
squared_diff_rows_int32(const int* x, long long x_row, long long x_column, const int* y, long long y_row,
                        long long y_column, int* z, long long rows, long long columns, int width) {
  by_rows<int>({x, x_row, x_column}, {y, y_row, y_column}, z, rows, columns, width);
}

extern "C" __global__ void __launch_bounds__(256)
squared_diff_float32(const float* x, const float* y, float* z, long long n) {
  kernelbatch::transform(n, z, [](float a, float b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256, 4)
squared_diff_rows_float32(const float* x, long long x_row, long long x_column, const float* y, long long y_row,
                          long long y_column, float* z, long long rows, long long columns, int width) {
  by_rows<float>({x, x_row, x_column}, {y, y_row, y_column}, z, rows, columns, width);
}

extern "C" __global__ void __launch_bounds__(256)
squared_diff_float64(const double* x, const double* y, double* z, long long n) {
  kernelbatch::transform(n, z, [](double a, double b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256, 4)
squared_diff_rows_float64(const double* x, long long x_row, long long x_column, const double* y, long long y_row,
                          long long y_column, double* z, long long rows, long long columns, int width) {
  by_rows<double>({x, x_row, x_column}, {y, y_row, y_column}, z, rows, columns, width);
}
