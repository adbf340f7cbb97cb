// y = A·x in plain CUDA: a block of 256 threads for some rows that follow each other. It reads their entries four at a
// time, whosever row they are of, and keeps the products in shared memory, a part of them at once. There `lanes`
// threads sum each row; all of the block sum a row that has many entries.
// What a search may choose are macros: THREADS of a block, ITEMS fours for each thread at once, MOST_ROWS of a block,
// LONG_ROW entries for a lane that make a row long, BLOCKS_PER_UNIT that registers are kept for; ONLY_FLOAT32 and
// ONLY_FLOAT64 leave out the other kernel.

namespace {

#ifdef THREADS
constexpr int kThreads = THREADS;
constexpr int kMostRows = MOST_ROWS;
constexpr int kManyOfLane = LONG_ROW;
/// Fours that each thread reads before it multiplies.
template <class T>
constexpr int kFours = ITEMS;
constexpr int kBlocks = BLOCKS_PER_UNIT;
#else
constexpr int kThreads = 256;
constexpr int kMostRows = 1024;  // of a block
constexpr int kManyOfLane = 64;  // more entries for a lane make a row long
template <class T>
constexpr int kFours = 16 / sizeof(T);
constexpr int kBlocks = 4;  // at least, on a unit
#endif
constexpr int kMaskOfFour = ~3;

/// Entries whose products are in shared memory at once.
template <class T>
constexpr int kPart = 4 * kFours<T> * kThreads;

/// Where a product is: rows of 16 or more entries begin in different banks.
__device__ int place_of(int k) { return k + (k >> 5 << 2); }

template <class T>
struct Shared {
  alignas(16) T products[kPart<T> + kPart<T> / 8];
  int starts[kMostRows + 1];
  int long_rows[kPart<T> / kManyOfLane + 2];
  int long_count;
  T sums[kThreads / 32];
};

__device__ void read_four(int (&to)[4], const int* from) {
  const int4 four = __ldcs(reinterpret_cast<const int4*>(from));
  to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}
__device__ void read_four(float (&to)[4], const float* from) {
  const float4 four = __ldcs(reinterpret_cast<const float4*>(from));
  to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}
__device__ void read_four(double (&to)[4], const double* from) {
  const double2 low = __ldcs(reinterpret_cast<const double2*>(from));
  const double2 high = __ldcs(reinterpret_cast<const double2*>(from) + 1);
  to[0] = low.x, to[1] = low.y, to[2] = high.x, to[3] = high.y;
}

template <class T>
struct alignas(16) Four {
  T at[4];
};

template <class T>
struct Matrix {
  const int* indptr;
  const int* indices;
  const T* data;
  const T* x;
  int entries;
};

/// Products of the entries from `first`, a multiple of four, to before `last`; those beside them may be there, too.
template <class T>
__device__ void multiply(const Matrix<T>& in, int first, long long last, Shared<T>& shared) {
  int column[kFours<T>][4];
  T value[kFours<T>][4];
  const auto at = [&](int f) { return 4 * (static_cast<int>(threadIdx.x) + f * kThreads); };
#pragma unroll
  for (int f = 0; f < kFours<T>; ++f) {
    const long long k = static_cast<long long>(first) + at(f);
    if (k + 4 <= in.entries && k < last) {
      read_four(column[f], in.indices + k);
      read_four(value[f], in.data + k);
    } else {
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const bool is_there = k + w < last;
        column[f][w] = is_there ? in.indices[k + w] : 0;
        value[f][w] = is_there ? in.data[k + w] : T(0);
      }
    }
  }
#pragma unroll
  for (int f = 0; f < kFours<T>; ++f) {
    if (static_cast<long long>(first) + at(f) >= last) continue;
    Four<T> product;
#pragma unroll
    for (int w = 0; w < 4; ++w) product.at[w] = value[f][w] * in.x[column[f][w]];
    *reinterpret_cast<Four<T>*>(&shared.products[place_of(at(f))]) = product;
  }
}

/// Of products `first` to before `last`, every `step`-th.
template <class T>
__device__ T sum_of(const Shared<T>& shared, int first, int last, int step) {
  T sum = 0;
  for (int k = first; k < last; k += step) sum += shared.products[place_of(k)];
  return sum;
}

/// In every lane the sum over `lanes` of them, which follow each other.
template <class T>
__device__ T sum_of_lanes(T sum, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

template <class T>
__device__ T sum_of_block(T own, Shared<T>& shared) {
  const T of_warp = sum_of_lanes(own, 32);
  if (threadIdx.x % 32 == 0) shared.sums[threadIdx.x / 32] = of_warp;
  __syncthreads();
  T sum = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += shared.sums[warp];
  __syncthreads();
  return sum;
}

template <class T>
__device__ void product(const Matrix<T>& in, T* y, int rows, int rows_of_block, int lanes) {
  __shared__ Shared<T> shared;
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.x) * rows_of_block;
  const int own_rows = rows - first_row < rows_of_block ? rows - first_row : rows_of_block;
  const int* const starts = in.indptr + first_row;
  const int begin = starts[0], end = starts[own_rows];
  for (int k = thread; k <= own_rows; k += kThreads) shared.starts[k] = starts[k];
  if (thread == 0) shared.long_count = 0;
  long long first = begin & kMaskOfFour;
  do {
    const long long last = first + kPart<T> < end ? first + kPart<T> : end;
    multiply(in, static_cast<int>(first), last, shared);
    __syncthreads();
    // A row that began in an earlier part adds to what is there; a part after the first sets no row that is empty.
    const auto give = [&](int row, T sum) {
      T* const to = y + first_row + row;
      *to = shared.starts[row] >= first ? sum : *to + sum;
    };
    const auto part_of = [&](int row, int& from, int& to) {
      from = static_cast<int>((shared.starts[row] > first ? shared.starts[row] : first) - first);
      to = static_cast<int>((shared.starts[row + 1] < last ? shared.starts[row + 1] : last) - first);
    };
    bool has_long = false;
    // Whole warps stay in the loop, for the shuffles.
    for (int group = thread / 32 * 32 / lanes; group < own_rows; group += kThreads / lanes) {
      const int row = group + thread % 32 / lanes;
      int from = 0, to = 0;
      if (row < own_rows) part_of(row, from, to);
      const bool is_long = to - from > kManyOfLane * lanes;
      const T sum = sum_of_lanes(is_long ? T(0) : sum_of(shared, from + thread % lanes, to, lanes), lanes);
      if (row >= own_rows || thread % lanes != 0) continue;
      if (is_long) {
        shared.long_rows[atomicAdd(&shared.long_count, 1)] = row;
        has_long = true;
      } else if (to > from || (first <= begin && shared.starts[row] == shared.starts[row + 1])) {
        give(row, sum);
      }
    }
    if (__syncthreads_or(has_long)) {
      const int count = shared.long_count;
      for (int k = 0; k < count; ++k) {
        const int row = shared.long_rows[k];
        int from, to;
        part_of(row, from, to);
        const T sum = sum_of_block(sum_of(shared, from + thread, to, kThreads), shared);
        if (thread == 0) give(row, sum);
      }
      __syncthreads();
      if (thread == 0) shared.long_count = 0;
    }
    first += kPart<T>;
  } while (first < end);
}

}  // namespace

#ifndef ONLY_FLOAT64
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
csr_spmv_float32(const int* __restrict__ indptr, const int* __restrict__ indices, const float* __restrict__ data,
                 const float* __restrict__ x, float* y, int rows, int entries, int rows_of_block, int lanes) {
  product<float>({indptr, indices, data, x, entries}, y, rows, rows_of_block, lanes);
}
#endif

#ifndef ONLY_FLOAT32
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
csr_spmv_float64(const int* __restrict__ indptr, const int* __restrict__ indices, const double* __restrict__ data,
                 const double* __restrict__ x, double* y, int rows, int entries, int rows_of_block, int lanes) {
  product<double>({indptr, indices, data, x, entries}, y, rows, rows_of_block, lanes);
}
#endif
