// y = A·x by diagonals in plain CUDA: one thread for as many rows as 16 bytes have, so that neighbours read
// neighbouring entries of every diagonal and of x; several diagonals are in flight.
#include <kernelbatch/transform.cuh>

namespace {

/// Rows row…row + kRows − 1. Where `kIsInside`, every diagonal has a column in each of them.
template <bool kIsInside, int kRows, class T>
__device__ kernelbatch::pack<T, kRows> rows_of(const long long* offsets, const T* diagonals, const T* x, int count,
                                               long long rows, long long columns, long long row) {
  kernelbatch::pack<T, kRows> sums = {};
  const T* entries = diagonals + row;
#pragma unroll 4
  for (int d = 0; d < count; ++d, entries += rows) {
    const long long column = row + offsets[d];
    const auto own = *reinterpret_cast<const kernelbatch::pack<T, kRows>*>(entries);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (kIsInside || (column + r >= 0 && column + r < columns)) {
        // Loaded either way: waiting for the entry first would take longer.
        const T term = own.value[r] * x[column + r];
        sums.value[r] += own.value[r] != 0 ? term : T(0);
      }
  }
  return sums;
}

template <int kRows, class T>
__device__ void product(const long long* offsets, const T* diagonals, const T* x, T* y, int count, long long rows,
                        long long columns) {
  using Pack = kernelbatch::pack<T, kRows>;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x * kRows;
  const long long lowest = offsets[0], highest = offsets[count - 1];
  for (long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * kRows; row < rows; row += step)
    *reinterpret_cast<Pack*>(y + row) =
        row + lowest >= 0 && row + kRows - 1 + highest < columns
            ? rows_of<true, kRows>(offsets, diagonals, x, count, rows, columns, row)
            : rows_of<false, kRows>(offsets, diagonals, x, count, rows, columns, row);
}

/// By 16 bytes where that divides the rows, else row by row.
template <class T>
__device__ void product(const long long* offsets, const T* diagonals, const T* x, T* y, int count, long long rows,
                        long long columns, int width) {
  if (width > 1)
    product<16 / sizeof(T)>(offsets, diagonals, x, y, count, rows, columns);
  else
    product<1>(offsets, diagonals, x, y, count, rows, columns);
}

}  // namespace

/// `offsets` are in ascending order.
extern "C" __global__ void __launch_bounds__(256)
diagonal_spmv_float32(const long long* offsets, const float* diagonals, const float* x, float* y, int count,
                      long long rows, long long columns, int width) {
  product(offsets, diagonals, x, y, count, rows, columns, width);
}

extern "C" __global__ void __launch_bounds__(256)
diagonal_spmv_float64(const long long* offsets, const double* diagonals, const double* x, double* y, int count,
                      long long rows, long long columns, int width) {
  product(offsets, diagonals, x, y, count, rows, columns, width);
}
