// Norms of rows or columns in plain CUDA: lanes of a warp share a short row, a warp has a longer one, a block a
// piece of a row or of a few columns side by side; where there are several sums, a second kernel adds them
// up, always in the same order. Loads are of 16 bytes where every row begins at a multiple of 16.
// What a search may choose are macros: THREADS of a block, ITEMS that are loaded side by side, VECTOR elements of each,
// LANES of a short row; ONLY_FLOAT32 and ONLY_FLOAT64 leave out the other kernels.
#include <kernelbatch/transform.cuh>

namespace {

#ifdef THREADS
constexpr int kBlock = THREADS;
constexpr int kPacksOfRow = ITEMS, kPacksOfColumn = ITEMS;  // in flight
template <class T>
constexpr int kWidest = VECTOR;
#else
constexpr int kBlock = 256;
constexpr int kPacksOfRow = 4, kPacksOfColumn = 8;
template <class T>
constexpr int kWidest = 16 / sizeof(T);
#endif
constexpr int kBlocksOfColumns = kBlock < 256 ? 4 : 1024 / kBlock;  // at least, on a unit
constexpr int kBlockOfRoots = 256;

template <class T, int kWidth>
using Pack = kernelbatch::pack<T, kWidth>;

template <class T, int kWidth>
__device__ const Pack<T, kWidth>* packs_of(const T* x) {
  return reinterpret_cast<const Pack<T, kWidth>*>(x);
}

template <class T, int kWidth>
__device__ T sum_of(const Pack<T, kWidth>& pack) {
  T sum = pack.value[0];
#pragma unroll
  for (int w = 1; w < kWidth; ++w) sum += pack.value[w];
  return sum;
}

/// packs[at], or zeros. Without a branch, so that several such loads are in flight: then the first pack is loaded.
template <class T, int kWidth>
__device__ Pack<T, kWidth> load_where(bool is_there, const Pack<T, kWidth>* packs, long long at) {
  Pack<T, kWidth> pack = packs[is_there ? at : 0];
#pragma unroll
  for (int w = 0; w < kWidth; ++w) pack.value[w] = is_there ? pack.value[w] : T(0);
  return pack;
}

/// Sum of the squares of packs begin, begin + step, … below `end`; kPacksOfRow loads are in flight.
template <class T, int kWidth>
__device__ T squares_of(const Pack<T, kWidth>* packs, long long begin, long long end, int step) {
  Pack<T, kWidth> sums = {};
  for (long long k = begin; k < end; k += kPacksOfRow * step) {
    Pack<T, kWidth> loaded[kPacksOfRow];
#pragma unroll
    for (int u = 0; u < kPacksOfRow; ++u) loaded[u] = load_where(k + u * step < end, packs, k + u * step);
#pragma unroll
    for (int u = 0; u < kPacksOfRow; ++u)
#pragma unroll
      for (int w = 0; w < kWidth; ++w) sums.value[w] += loaded[u].value[w] * loaded[u].value[w];
  }
  return sum_of(sums);
}

/// What kLanes neighbours hold of each of four sums, added up: a lane passes half of its sums on for the other half
/// of its neighbour's, so that four sums cost little more than one. `sums` keeps kept_sums() of them, from
/// number first_kept(lane) on.
template <int kLanes, class T>
__device__ void add_lanes(T (&sums)[4], int lane) {
  if constexpr (kLanes >= 2) {
    const bool is_odd = lane % 2 == 1;
    const T give[2] = {is_odd ? sums[0] : sums[2], is_odd ? sums[1] : sums[3]};
    sums[0] = (is_odd ? sums[2] : sums[0]) + __shfl_xor_sync(~0u, give[0], 1);
    sums[1] = (is_odd ? sums[3] : sums[1]) + __shfl_xor_sync(~0u, give[1], 1);
  }
  if constexpr (kLanes >= 4) {
    const bool is_upper = lane / 2 % 2 == 1;
    sums[0] = (is_upper ? sums[1] : sums[0]) + __shfl_xor_sync(~0u, is_upper ? sums[0] : sums[1], 2);
  }
#pragma unroll
  for (int distance = 4; distance < kLanes; distance *= 2) sums[0] += __shfl_xor_sync(~0u, sums[0], distance);
}
template <int kLanes>
__device__ constexpr int kept_sums() {
  return kLanes >= 4 ? 1 : 4 / kLanes;
}
template <int kLanes>
__device__ int first_kept(int lane) {
  return kLanes == 1 ? 0 : kLanes == 2 ? lane * 2 : lane % 2 * 2 + lane / 2 % 2;
}

/// A warp has four rows for each kLanes of its threads, neighbours in memory.
template <class T, int kWidth, int kLanes>
__device__ void short_rows_of(const T* x, T* norm, long long rows, int length) {
  constexpr int kInFlight = 4, kAtOnce = 32 / kLanes;
  const int packs = length / kWidth;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const long long warp = static_cast<long long>(blockIdx.x) * (kBlock / 32) + threadIdx.x / 32;
  const long long first = warp * (kInFlight * kAtOnce) + static_cast<int>(threadIdx.x) % 32 / kLanes;
  const Pack<T, kWidth>* row[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) {
    // Past the end the last row again, so that no branch keeps loads from being in flight together.
    const long long number = first + u * kAtOnce;
    row[u] = packs_of<T, kWidth>(x) + (number < rows ? number : rows - 1) * packs;
  }
  Pack<T, kWidth> squares[kInFlight] = {};
  for (int k = lane; k < packs; k += kLanes) {
    Pack<T, kWidth> loaded[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) loaded[u] = row[u][k];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u)
#pragma unroll
      for (int w = 0; w < kWidth; ++w) squares[u].value[w] += loaded[u].value[w] * loaded[u].value[w];
  }
  T sums[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) sums[u] = sum_of(squares[u]);
  add_lanes<kLanes>(sums, lane);
  if (lane >= kInFlight) return;
#pragma unroll
  for (int u = 0; u < kept_sums<kLanes>(); ++u) {
    const long long number = first + (first_kept<kLanes>(lane) + u) * kAtOnce;
    if (number < rows) norm[number] = sqrt(sums[u]);
  }
}

template <class T, int kWidth>
__device__ void short_rows(const T* x, T* norm, long long rows, int length, int lanes) {
#ifdef LANES
  short_rows_of<T, kWidth, LANES>(x, norm, rows, length);
#else
  switch (lanes) {
    case 1: return short_rows_of<T, kWidth, 1>(x, norm, rows, length);
    case 2: return short_rows_of<T, kWidth, 2>(x, norm, rows, length);
    case 4: return short_rows_of<T, kWidth, 4>(x, norm, rows, length);
    case 8: return short_rows_of<T, kWidth, 8>(x, norm, rows, length);
    case 16: return short_rows_of<T, kWidth, 16>(x, norm, rows, length);
    default: return short_rows_of<T, kWidth, 32>(x, norm, rows, length);
  }
#endif
}

template <class T, int kWidth>
__device__ void rows(const T* x, T* norm, long long count, long long length) {
  const long long row = static_cast<long long>(blockIdx.x) * (kBlock / 32) + threadIdx.x / 32;
  if (row >= count) return;
  T sum = squares_of<T, kWidth>(packs_of<T, kWidth>(x + row * length), threadIdx.x % 32, length / kWidth, 32);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) norm[row] = sqrt(sum);
}

/// Where there is one piece, its root is the norm.
template <class T, int kWidth>
__device__ void row_pieces(const T* x, T* parts, long long count, long long length, int pieces) {
  const long long row = blockIdx.x / pieces;
  const int piece = static_cast<int>(blockIdx.x % pieces);
  const long long packs = length / kWidth;
  const long long begin = packs * piece / pieces, end = packs * (piece + 1) / pieces;
  const T own = squares_of<T, kWidth>(packs_of<T, kWidth>(x + row * length), begin + threadIdx.x, end, kBlock);
  const T sum = kernelbatch::block_reduce(own, [](T a, T b) { return a + b; });
  if (threadIdx.x == 0) parts[piece * count + row] = pieces == 1 ? sqrt(sum) : sum;
}

/// A block has `tile` packs of columns side by side and as many rows at once as it has threads for; its own sums
/// are added up by halves.
template <class T, int kWidth>
__device__ void columns(const T* x, T* parts, long long count, long long length, int pieces, int tile) {
  constexpr int kInFlight = kPacksOfColumn;
  __shared__ Pack<T, kWidth> shared[kBlock];
  const long long packs = count / kWidth;
  const int at_once = kBlock / tile;
  const int own = static_cast<int>(threadIdx.x) / tile;
  // Neighbouring blocks read whole rows.
  const unsigned across = gridDim.x / pieces;
  const int piece = static_cast<int>(blockIdx.x / across);
  const long long column = static_cast<long long>(blockIdx.x % across) * tile + static_cast<int>(threadIdx.x) % tile;
  const bool is_mine = own < at_once && column < packs;
  const long long end = is_mine ? length * (piece + 1) / pieces : 0;
  Pack<T, kWidth> sums = {};
  long long row = length * piece / pieces + own;
  const long long step = at_once * packs;
  const Pack<T, kWidth>* const all = packs_of<T, kWidth>(x);
  long long at = row * packs + column;
  for (; row < end; row += kInFlight * at_once, at += kInFlight * step) {
    Pack<T, kWidth> loaded[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) loaded[u] = load_where(row + u * at_once < end, all, at + u * step);
#pragma unroll
    for (int w = 0; w < kWidth; ++w) {
      T squares[kInFlight];
#pragma unroll
      for (int u = 0; u < kInFlight; ++u) squares[u] = loaded[u].value[w] * loaded[u].value[w];
#pragma unroll
      for (int half = kInFlight / 2; half > 0; half /= 2)
#pragma unroll
        for (int u = 0; u < half; ++u) squares[u] += squares[u + half];
      sums.value[w] += squares[0];
    }
  }
  shared[threadIdx.x] = sums;
  __syncthreads();
  for (int rows = at_once; rows > 1;) {
    const int half = (rows + 1) / 2;
    if (own < rows - half)
#pragma unroll
      for (int w = 0; w < kWidth; ++w) shared[threadIdx.x].value[w] += shared[threadIdx.x + half * tile].value[w];
    __syncthreads();
    rows = half;
  }
  if (own > 0 || column >= packs) return;
  Pack<T, kWidth> result = shared[threadIdx.x];
  if (pieces == 1) {
#pragma unroll
    for (int w = 0; w < kWidth; ++w) result.value[w] = sqrt(result.value[w]);
  }
  reinterpret_cast<Pack<T, kWidth>*>(parts)[piece * packs + column] = result;
}

/// norm[k] = root of the sum of parts[…, k]: a block for `neighbours` norms.
template <class T>
__device__ void roots(const T* parts, T* norm, long long norms, int pieces, int neighbours) {
  __shared__ T shared[kBlockOfRoots];
  const long long k = static_cast<long long>(blockIdx.x) * neighbours + threadIdx.x % neighbours;
  const int step = kBlockOfRoots / neighbours;
  T sum = 0;
  if (k < norms) {
#pragma unroll 8
    for (int piece = threadIdx.x / neighbours; piece < pieces; piece += step) sum += parts[piece * norms + k];
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kBlockOfRoots / 2; half >= neighbours; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < neighbours && k < norms) norm[k] = sqrt(shared[threadIdx.x]);
}

}  // namespace

#ifndef ONLY_FLOAT64
extern "C" __global__ void __launch_bounds__(kBlock)
short_rows_float32(const float* x, float* norm, long long count, int length, int width, int lanes) {
  width > 1 ? short_rows<float, kWidest<float>>(x, norm, count, length, lanes)
            : short_rows<float, 1>(x, norm, count, length, lanes);
}

extern "C" __global__ void __launch_bounds__(kBlock)
rows_float32(const float* x, float* norm, long long count, long long length, int width) {
  width > 1 ? rows<float, kWidest<float>>(x, norm, count, length)
            : rows<float, 1>(x, norm, count, length);
}

extern "C" __global__ void __launch_bounds__(kBlock)
row_pieces_float32(const float* x, float* parts, long long count, long long length, int width, int pieces) {
  width > 1 ? row_pieces<float, kWidest<float>>(x, parts, count, length, pieces)
            : row_pieces<float, 1>(x, parts, count, length, pieces);
}

extern "C" __global__ void __launch_bounds__(kBlock, kBlocksOfColumns)
columns_float32(const float* x, float* parts, long long count, long long length, int width, int pieces, int tile) {
  width > 1 ? columns<float, kWidest<float>>(x, parts, count, length, pieces, tile)
            : columns<float, 1>(x, parts, count, length, pieces, tile);
}

extern "C" __global__ void __launch_bounds__(kBlockOfRoots)
roots_float32(const float* parts, float* norm, long long count, int pieces, int neighbours) {
  roots(parts, norm, count, pieces, neighbours);
}
#endif

#ifndef ONLY_FLOAT32
extern "C" __global__ void __launch_bounds__(kBlock)
short_rows_float64(const double* x, double* norm, long long count, int length, int width, int lanes) {
  width > 1 ? short_rows<double, kWidest<double>>(x, norm, count, length, lanes)
            : short_rows<double, 1>(x, norm, count, length, lanes);
}

extern "C" __global__ void __launch_bounds__(kBlock)
rows_float64(const double* x, double* norm, long long count, long long length, int width) {
  width > 1 ? rows<double, kWidest<double>>(x, norm, count, length)
            : rows<double, 1>(x, norm, count, length);
}

extern "C" __global__ void __launch_bounds__(kBlock)
row_pieces_float64(const double* x, double* parts, long long count, long long length, int width, int pieces) {
  width > 1 ? row_pieces<double, kWidest<double>>(x, parts, count, length, pieces)
            : row_pieces<double, 1>(x, parts, count, length, pieces);
}

extern "C" __global__ void __launch_bounds__(kBlock, kBlocksOfColumns)
columns_float64(const double* x, double* parts, long long count, long long length, int width, int pieces, int tile) {
  width > 1 ? columns<double, kWidest<double>>(x, parts, count, length, pieces, tile)
            : columns<double, 1>(x, parts, count, length, pieces, tile);
}

extern "C" __global__ void __launch_bounds__(kBlockOfRoots)
roots_float64(const double* parts, double* norm, long long count, int pieces, int neighbours) {
  roots(parts, norm, count, pieces, neighbours);
}
#endif
