// c = a·b in plain CUDA, with what a search may choose as macros: a block has TILE_M by TILE_N elements of c and goes
// along the factors in steps of TILE_K; a thread has THREAD_M by THREAD_N of them in registers. VECTOR elements are
// loaded and stored at once. With two STAGES one is multiplied while the next is stored. PAD elements stand between
// rows of a's part in shared memory, which is transposed. The loop over a step is unrolled UNROLL times. Registers are
// kept for BLOCKS_PER_UNIT blocks at once.
// Floats of 16 bits become float32 on their way into shared memory.
#include <kernelbatch/device.hpp>

namespace {

constexpr int kThreadsDown = TILE_M / THREAD_M, kThreadsAcross = TILE_N / THREAD_N;
constexpr int kThreads = kThreadsDown * kThreadsAcross;
constexpr int kRowOfA = TILE_M + PAD;
constexpr int kUnroll = UNROLL;
constexpr int kGroup = 8;  // rows of tiles whose blocks run side by side, to share what the L2 cache has

__device__ constexpr int alignment_of(int bytes) { return bytes < 16 ? bytes : 16; }

/// The largest power of two, at most VECTOR, that divides both.
__device__ constexpr int width_for(int a, int b) {
  int width = VECTOR;
  while (a % width != 0 || b % width != 0) width /= 2;
  return width;
}
constexpr int kWidthOfM = width_for(THREAD_M, PAD), kWidthOfN = width_for(THREAD_N, 0);

template <class T, int kWidth>
struct alignas(alignment_of(sizeof(T) * kWidth)) Pack {
  T at[kWidth];
};

/// Of a step's part of both factors.
template <class T>
struct Stage {
  alignas(16) T a[TILE_K * kRowOfA];
  alignas(16) T b[TILE_K * TILE_N];
};

template <class In>
struct Sum {
  using Type = float;
};
template <>
struct Sum<double> {
  using Type = double;
};

/// The next elements of a row, of which `left` are there; else zeros. By vectors they are there or not together.
template <bool kByVectors, class In>
__device__ Pack<In, VECTOR> load(const In* matrix, long long from, int left) {
  Pack<In, VECTOR> pack = {};
  if constexpr (kByVectors) {
    if (left > 0) pack = *reinterpret_cast<const Pack<In, VECTOR>*>(matrix + from);
  } else {
#pragma unroll
    for (int w = 0; w < VECTOR; ++w)
      if (w < left) pack.at[w] = matrix[from + w];
  }
  return pack;
}

/// A thread's part of what the block copies of a matrix for a step: from global memory to registers, and on.
template <int kPacks>
struct Share {
  static constexpr int kCount = (kPacks + kThreads - 1) / kThreads;
  static __device__ int pack(int r) { return static_cast<int>(threadIdx.x) + r * kThreads; }
  static __device__ bool has(int r) { return kPacks % kThreads == 0 || pack(r) < kPacks; }
};

template <bool kByVectors, class In, class T>
class Factors {
 public:
  __device__ Factors(const In* a, const In* b, int m, int n, int k, int first_row, int first_column)
      : a_(a), b_(b), m_(m), n_(n), k_(k), first_row_(first_row), first_column_(first_column) {}

  /// Begins to read what is at `depth`, and keeps it.
  __device__ void fetch(int depth) {
#pragma unroll
    for (int r = 0; r < OfA::kCount; ++r) {
      const int row = first_row_ + OfA::pack(r) / kPacksOfRowOfA;
      const int column = depth + OfA::pack(r) % kPacksOfRowOfA * VECTOR;
      const bool is_inside = OfA::has(r) && row < m_;
      from_a_[r] = load<kByVectors>(a_, static_cast<long long>(row) * k_ + column, is_inside ? k_ - column : 0);
    }
#pragma unroll
    for (int r = 0; r < OfB::kCount; ++r) {
      const int row = depth + OfB::pack(r) / kPacksOfRowOfB;
      const int column = first_column_ + OfB::pack(r) % kPacksOfRowOfB * VECTOR;
      const bool is_inside = OfB::has(r) && row < k_;
      from_b_[r] = load<kByVectors>(b_, static_cast<long long>(row) * n_ + column, is_inside ? n_ - column : 0);
    }
  }

  __device__ void store(Stage<T>& stage) const {
#pragma unroll
    for (int r = 0; r < OfA::kCount; ++r) {
      if (!OfA::has(r)) continue;
      const int row = OfA::pack(r) / kPacksOfRowOfA, column = OfA::pack(r) % kPacksOfRowOfA * VECTOR;
#pragma unroll
      for (int w = 0; w < VECTOR; ++w) stage.a[(column + w) * kRowOfA + row] = T(from_a_[r].at[w]);
    }
#pragma unroll
    for (int r = 0; r < OfB::kCount; ++r) {
      if (!OfB::has(r)) continue;
      Pack<T, VECTOR> pack;
#pragma unroll
      for (int w = 0; w < VECTOR; ++w) pack.at[w] = T(from_b_[r].at[w]);
      *reinterpret_cast<Pack<T, VECTOR>*>(&stage.b[OfB::pack(r) * VECTOR]) = pack;
    }
  }

 private:
  static constexpr int kPacksOfRowOfA = TILE_K / VECTOR, kPacksOfRowOfB = TILE_N / VECTOR;
  using OfA = Share<TILE_M * kPacksOfRowOfA>;
  using OfB = Share<TILE_K * kPacksOfRowOfB>;

  const In *a_, *b_;
  int m_, n_, k_, first_row_, first_column_;
  Pack<In, VECTOR> from_a_[OfA::kCount], from_b_[OfB::kCount];
};

/// Where the j-th of a thread's pieces of kWidth neighbours begins, `threads` side by side.
template <int kWidth>
__device__ int place_of(int piece, int thread, int threads) {
  return (piece * threads + thread) * kWidth;
}

/// A thread's rows and columns of a stage's part, at one depth.
template <int kWidth, int kCount, class T>
__device__ void read(T (&to)[kCount], const T* from, int thread, int threads) {
#pragma unroll
  for (int j = 0; j < kCount / kWidth; ++j) {
    const auto pack = *reinterpret_cast<const Pack<T, kWidth>*>(from + place_of<kWidth>(j, thread, threads));
#pragma unroll
    for (int w = 0; w < kWidth; ++w) to[j * kWidth + w] = pack.at[w];
  }
}

template <class T>
__device__ void multiply(const Stage<T>& stage, int down, int across, T (&sums)[THREAD_M][THREAD_N]) {
#pragma unroll kUnroll
  for (int depth = 0; depth < TILE_K; ++depth) {
    T left[THREAD_M], right[THREAD_N];
    read<kWidthOfM>(left, stage.a + depth * kRowOfA, down, kThreadsDown);
    read<kWidthOfN>(right, stage.b + depth * TILE_N, across, kThreadsAcross);
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sums[i][j] += left[i] * right[j];
  }
}

}  // namespace

/// `tiles_across` tiles cover a row of c. `kByVectors`: rows of all matrices begin where VECTOR elements may be
/// loaded at once, and have a multiple of them.
template <class In, bool kByVectors>
__global__ void __launch_bounds__(kThreads, BLOCKS_PER_UNIT)
matmul(const In* a, const In* b, In* c, int m, int n, int k, int tiles_across) {
  using T = typename Sum<In>::Type;
  extern __shared__ uint4 shared[];
  Stage<T>* const stages = reinterpret_cast<Stage<T>*>(shared);
  const int tiles_down = (m + TILE_M - 1) / TILE_M;
  const int first = static_cast<int>(blockIdx.x) / (kGroup * tiles_across) * kGroup;
  const int rows = tiles_down - first < kGroup ? tiles_down - first : kGroup;
  const int in_group = static_cast<int>(blockIdx.x) - first * tiles_across;
  const int first_row = (first + in_group % rows) * TILE_M, first_column = in_group / rows * TILE_N;
  const int across = static_cast<int>(threadIdx.x) % kThreadsAcross;
  const int down = static_cast<int>(threadIdx.x) / kThreadsAcross;

  Factors<kByVectors, In, T> factors(a, b, m, n, k, first_row, first_column);
  T sums[THREAD_M][THREAD_N] = {};
  factors.fetch(0);
  factors.store(stages[0]);
  __syncthreads();
  int current = 0;
#pragma unroll 1
  for (int depth = 0; depth < k; depth += TILE_K) {
    const bool has_next = depth + TILE_K < k;
    const int next = STAGES - 1 - current;
    if (has_next) factors.fetch(depth + TILE_K);
    multiply(stages[current], down, across, sums);
    if (STAGES == 1) __syncthreads();
    if (has_next) factors.store(stages[next]);
    __syncthreads();
    current = next;
  }

#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = first_row + place_of<kWidthOfM>(i / kWidthOfM, down, kThreadsDown) + i % kWidthOfM;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += kWidthOfN) {
      const int column = first_column + place_of<kWidthOfN>(j / kWidthOfN, across, kThreadsAcross);
      In* const to = c + static_cast<long long>(row) * n + column;
      Pack<In, kWidthOfN> pack;
#pragma unroll
      for (int w = 0; w < kWidthOfN; ++w) pack.at[w] = In(sums[i][j + w]);
      if constexpr (kByVectors) {
        if (column < n) *reinterpret_cast<Pack<In, kWidthOfN>*>(to) = pack;
      } else {
#pragma unroll
        for (int w = 0; w < kWidthOfN; ++w)
          if (column + w < n) to[w] = pack.at[w];
      }
    }
  }
}
