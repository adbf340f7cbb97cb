// z = (x − y)² in plain CUDA, with what a search may choose as macros: THREADS of a block, ITEMS for each thread,
// which are loaded at once, UNROLL of these before the first is used. IS_STREAMING: loads and stores leave the
// caches to others.
#include <kernelbatch/device.hpp>

namespace {

template <int kBytes>
struct Word;
template <>
struct Word<4> {
  using Type = unsigned;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

template <class T, int kWidth>
union Pack {
  T at[kWidth];
  typename Word<sizeof(T) * kWidth>::Type word;
};

template <int kWidth, class T>
__device__ Pack<T, kWidth> load(const T* from) {
  Pack<T, kWidth> pack;
  const auto* const word = reinterpret_cast<const decltype(pack.word)*>(from);
  pack.word = IS_STREAMING ? __ldcs(word) : *word;
  return pack;
}
template <int kWidth, class T>
__device__ void store(T* to, const Pack<T, kWidth>& pack) {
  auto* const word = reinterpret_cast<decltype(Pack<T, kWidth>::word)*>(to);
  if (IS_STREAMING)
    __stcs(word, pack.word);
  else
    *word = pack.word;
}

/// `step` apart; where it is 1, as one.
template <int kWidth, class T>
__device__ Pack<T, kWidth> load(const T* from, long long step) {
  if (kWidth == 1 || step == 1) return load<kWidth>(from);
  Pack<T, kWidth> pack;
#pragma unroll
  for (int w = 0; w < kWidth; ++w) pack.at[w] = from[w * step];
  return pack;
}

template <int kWidth, class T>
__device__ Pack<T, kWidth> squared(const Pack<T, kWidth>& x, const Pack<T, kWidth>& y) {
  Pack<T, kWidth> z;
#pragma unroll
  for (int w = 0; w < kWidth; ++w) {
    const T difference = x.at[w] - y.at[w];
    z.at[w] = difference * difference;
  }
  return z;
}

/// Calls for ITEMS numbers, UNROLL of them at a time: `read(number, u)` for each that `is_there`, then `write` likewise.
template <class IsThere, class Read, class Write>
__device__ void go_through(const IsThere& is_there, const Read& read, const Write& write) {
#pragma unroll 1
  for (int first = 0; first < ITEMS; first += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (first + u < ITEMS && is_there(first + u)) read(first + u, u);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (first + u < ITEMS && is_there(first + u)) write(first + u, u);
  }
}

}  // namespace

/// Items of a thread are a block's width apart. The first block has what is less than kWidth elements, too.
template <class T, int kWidth>
__global__ void __launch_bounds__(THREADS)
stream(const T* x, const T* y, T* z, long long n) {
  const long long packs = n / kWidth;
  const long long first = static_cast<long long>(blockIdx.x) * THREADS * ITEMS + threadIdx.x;
  Pack<T, kWidth> left[UNROLL], right[UNROLL];
  go_through([&](int item) { return first + static_cast<long long>(item) * THREADS < packs; },
             [&](int item, int u) {
               const long long at = (first + static_cast<long long>(item) * THREADS) * kWidth;
               left[u] = load<kWidth>(x + at);
               right[u] = load<kWidth>(y + at);
             },
             [&](int item, int u) {
               const long long at = (first + static_cast<long long>(item) * THREADS) * kWidth;
               store<kWidth>(z + at, squared(left[u], right[u]));
             });
  if (blockIdx.x > 0) return;
  for (long long k = packs * kWidth + threadIdx.x; k < n; k += THREADS)
    store<1>(z + k, squared(load<1>(x + k), load<1>(y + k)));
}

/// Matrices with any distance between rows and columns, in elements; 0 repeats. A thread has ITEMS rows of kWidth
/// columns; a row that y repeats is loaded once.
template <class T, int kWidth>
__global__ void __launch_bounds__(THREADS)
by_rows(const T* x, long long x_row, long long x_column, const T* y, long long y_row, long long y_column, T* z,
        long long rows, long long columns) {
  const long long column = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * kWidth;
  if (column >= columns) return;
  const long long step = static_cast<long long>(gridDim.y) * blockDim.y * ITEMS;
  Pack<T, kWidth> repeated = {};
  if (y_row == 0) repeated = load<kWidth>(y + column * y_column, y_column);
  for (long long first = (static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y) * ITEMS; first < rows;
       first += step) {
    Pack<T, kWidth> left[UNROLL], right[UNROLL];
    go_through([&](int item) { return first + item < rows; },
               [&](int item, int u) {
                 const long long row = first + item;
                 left[u] = load<kWidth>(x + row * x_row + column * x_column, x_column);
                 right[u] = y_row == 0 ? repeated : load<kWidth>(y + row * y_row + column * y_column, y_column);
               },
               [&](int item, int u) {
                 store<kWidth>(z + (first + item) * columns + column, squared(left[u], right[u]));
               });
  }
}
