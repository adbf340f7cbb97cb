// One step of a 2-D wave in plain CUDA, with what a search may choose as macros: a block of BLOCK_X by BLOCK_Y threads,
// each with ITEMS rows of VECTOR columns, which are loaded and stored at once. The loop over rows is unrolled UNROLL
// times. Neighbours are read through the cache, or IN_SHARED memory.
#include <kernelbatch/device.hpp>

namespace {

constexpr int kWidth = BLOCK_X * VECTOR, kHeight = BLOCK_Y * ITEMS;  // of a block
constexpr int kUnroll = UNROLL;

__device__ constexpr int alignment_of(int bytes) { return bytes < 16 ? bytes : 16; }

template <class T>
struct alignas(alignment_of(sizeof(T) * VECTOR)) Pack {
  T at[VECTOR];
};

/// A grid of rows by cols, which is zero outside. By vectors a row's packs are inside or outside as a whole.
template <class T, bool kByVectors>
struct Grid {
  T* data;
  int rows, cols;

  __device__ T* address(int row, int column) const { return data + static_cast<long long>(row) * cols + column; }
  __device__ bool has(int row, int column) const { return row >= 0 && row < rows && column >= 0 && column < cols; }
  __device__ T one(int row, int column) const { return has(row, column) ? *address(row, column) : T(0); }

  __device__ Pack<T> pack(int row, int column) const {
    Pack<T> pack = {};
    if constexpr (kByVectors) {
      if (has(row, column)) pack = *reinterpret_cast<const Pack<T>*>(address(row, column));
    } else {
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) pack.at[v] = one(row, column + v);
    }
    return pack;
  }
  __device__ void set(int row, int column, const Pack<T>& pack) const {
    if constexpr (kByVectors) {
      if (has(row, column)) *reinterpret_cast<Pack<T>*>(address(row, column)) = pack;
    } else {
#pragma unroll
      for (int v = 0; v < VECTOR; ++v)
        if (has(row, column + v)) *address(row, column + v) = pack.at[v];
    }
  }
};

/// A block's part of a grid and the cells around it.
template <class T>
struct Part {
  static constexpr int kPitch = kWidth + 2, kCells = kPitch * (kHeight + 2);
  const T* cells;
  int top, left;

  template <class Source>
  static __device__ void fill(T* cells, const Source& from, int top, int left) {
    for (int k = static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x); k < kCells; k += BLOCK_X * BLOCK_Y)
      cells[k] = from.one(top - 1 + k / kPitch, left - 1 + k % kPitch);
  }
  __device__ T one(int row, int column) const { return cells[(row - top + 1) * kPitch + column - left + 1]; }
  __device__ Pack<T> pack(int row, int column) const {
    Pack<T> pack;
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) pack.at[v] = one(row, column + v);
    return pack;
  }
};

/// Rows that follow each other, from `first` on: what is south of one is the next.
template <class Now, class Fields>
__device__ void go_down(const Now& now, const Fields& q, const Fields& before, int first, int column) {
  auto north = now.pack(first - 1, column), here = now.pack(first, column);
#pragma unroll kUnroll
  for (int i = 0; i < ITEMS; ++i) {
    const int row = first + i;
    const auto south = now.pack(row + 1, column);
    const auto factor = q.pack(row, column);
    auto next = before.pack(row, column);
    const auto beyond_west = now.one(row, column - 1), beyond_east = now.one(row, column + VECTOR);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
      const auto west = v > 0 ? here.at[v > 0 ? v - 1 : 0] : beyond_west;
      const auto east = v < VECTOR - 1 ? here.at[v < VECTOR - 1 ? v + 1 : 0] : beyond_east;
      next.at[v] = 2 * here.at[v] - next.at[v] +
                   factor.at[v] * (north.at[v] + south.at[v] + west + east - 4 * here.at[v]);
    }
    before.set(row, column, next);
    north = here;
    here = south;
  }
}

}  // namespace

/// The next field over the one before.
template <class T, bool kByVectors>
__global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
step(const T* now, const T* q, T* before, int rows, int cols) {
  const int left = static_cast<int>(blockIdx.x) * kWidth;
  const int column = left + static_cast<int>(threadIdx.x) * VECTOR;
  const Grid<T, kByVectors> of_now{const_cast<T*>(now), rows, cols}, of_q{const_cast<T*>(q), rows, cols};
  const Grid<T, kByVectors> of_before{before, rows, cols};
  for (int top = static_cast<int>(blockIdx.y) * kHeight; top < rows; top += static_cast<int>(gridDim.y) * kHeight) {
    const int first = top + static_cast<int>(threadIdx.y) * ITEMS;
#if IN_SHARED
    __shared__ T cells[Part<T>::kCells];
    Part<T>::fill(cells, of_now, top, left);
    __syncthreads();
    go_down(Part<T>{cells, top, left}, of_q, of_before, first, column);
    __syncthreads();
#else
    go_down(of_now, of_q, of_before, first, column);
#endif
  }
}
