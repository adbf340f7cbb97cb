// c = a·b in plain CUDA: a block for each tile of c. Stages of both factors are in shared memory: while one is
// multiplied, the next is on its way. A thread has 8 rows by 4 pieces of 16 bytes of the tile in registers, and loads
// what the next step multiplies before it multiplies. float64 goes through the tensor cores where there are any.
// Older GPUs go the plain way, and so does the host device, which would compute a tensor core's step lane by lane.
// Floats of 16 bits become float32 on their way into shared memory.
#include <kernelbatch/device.hpp>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(KERNELBATCH_ON_HOST)
#define HAS_TENSOR_CORES
#endif

namespace {

template <class T>
constexpr int kRows = sizeof(T) == 4 ? 256 : 128;  // of a tile
constexpr int kColumns = 128;                      // of a tile
template <class T>
constexpr int kStages = sizeof(T) == 4 ? 2 : 3;
constexpr int kGroup = 16;       // rows of tiles whose blocks run side by side, to share what the L2 cache has
constexpr int kPiecesOfRow = 4;  // of a's part of a stage, which are kPiecesOfRow·kWidth columns of a

/// Elements that are copied, loaded and stored at once.
template <class T>
constexpr int kWidth = 16 / sizeof(T);

template <class T>
struct alignas(16) Piece {
  T at[kWidth<T>];
};

template <class T>
constexpr int kDepth = kPiecesOfRow* kWidth<T>;
template <class T>
constexpr int kPiecesOfColumns = kColumns / kWidth<T>;
template <class T>
constexpr int kThreads = 32 * (kRows<T> / 64) * (kColumns / (16 * kWidth<T>));

/// A stage's part of both factors. Pieces are kept in an order in which the threads of a warp, when they read
/// rows of a or rows of b side by side, find them in different banks.
template <class T>
struct Stage {
  Piece<T> a[kRows<T> * kPiecesOfRow];
  Piece<T> b[kDepth<T> * kPiecesOfColumns<T>];

  __device__ Piece<T>& of_a(int row, int piece) {
    return a[row * kPiecesOfRow + (piece ^ (row & 2 | row >> 2 & 1))];
  }
  __device__ Piece<T>& of_b(int row, int piece) {
    return b[row * kPiecesOfColumns<T> + (sizeof(T) == 8 ? piece ^ (row & 3) << 1 : piece)];
  }
};

/// Queues a copy of kBytes from global to shared memory, or of zeros where there is nothing to copy.
template <int kBytes>
__device__ void copy_later(void* to, const void* from, bool is_there) {
#ifdef HAS_TENSOR_CORES
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = is_there ? kBytes : 0;
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(from), "n"(kBytes), "r"(bytes)
                 : "memory");
#else
  if (is_there)
    memcpy(__builtin_assume_aligned(to, kBytes), __builtin_assume_aligned(from, kBytes), kBytes);
  else
    memset(to, 0, kBytes);
#endif
}

/// Ends a stage's copies.
__device__ void end_of_copies() {
#ifdef HAS_TENSOR_CORES
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all of the thread's copies but those of the last kLeft stages.
template <int kLeft>
__device__ void wait_for_copies() {
#ifdef HAS_TENSOR_CORES
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#endif
}

/// Matrices of In, which is T or becomes T when it is loaded.
template <class T, class In = T>
struct Matrices {
  const In* a;
  const In* b;
  In* c;
  int m, n, k;
};

/// Where a thread's next copies begin, in matrices whose rows all begin at a multiple of 16 bytes. Rows of a and
/// columns of b beyond the matrices are the last ones once more: what comes of them is not stored.
template <class T>
class Pieces {
 public:
  __device__ Pieces(const Matrices<T>& in, int first_row, int first_column)
      : left_(in.k), step_of_b_(static_cast<long long>(kDepth<T>) * in.n) {
#pragma unroll
    for (int r = 0; r < kOfA; ++r) {
      const int row = first_row + row_of_a(r) < in.m ? first_row + row_of_a(r) : in.m - 1;
      a_[r] = in.a + static_cast<long long>(row) * in.k + column_of_a() * kWidth<T>;
    }
#pragma unroll
    for (int r = 0; r < kOfB; ++r) {
      const int column = first_column + column_of_b(r) * kWidth<T>;
      b_[r] = in.b + static_cast<long long>(row_of_b(r)) * in.n + (column < in.n ? column : in.n - kWidth<T>);
    }
  }

  /// Queues the copies of the next stage; beyond the end of both factors there are zeros.
  __device__ void fetch(Stage<T>& stage) {
#pragma unroll
    for (int r = 0; r < kOfA; ++r) {
      copy_later<16>(&stage.of_a(row_of_a(r), column_of_a()), a_[r], column_of_a() * kWidth<T> < left_);
      a_[r] += kDepth<T>;
    }
#pragma unroll
    for (int r = 0; r < kOfB; ++r) {
      copy_later<16>(&stage.of_b(row_of_b(r), column_of_b(r)), b_[r], row_of_b(r) < left_);
      b_[r] += step_of_b_;
    }
    left_ -= kDepth<T>;
  }

 private:
  static constexpr int kOfA = kRows<T> * kPiecesOfRow / kThreads<T>;
  static constexpr int kOfB = kDepth<T> * kPiecesOfColumns<T> / kThreads<T>;
  static __device__ int row_of_a(int r) { return (static_cast<int>(threadIdx.x) + r * kThreads<T>) / kPiecesOfRow; }
  static __device__ int column_of_a() { return static_cast<int>(threadIdx.x) % kPiecesOfRow; }
  static __device__ int row_of_b(int r) {
    return (static_cast<int>(threadIdx.x) + r * kThreads<T>) / kPiecesOfColumns<T>;
  }
  static __device__ int column_of_b(int r) {
    return (static_cast<int>(threadIdx.x) + r * kThreads<T>) % kPiecesOfColumns<T>;
  }

  const T* a_[kOfA];
  const T* b_[kOfB];
  int left_;  // columns of a and rows of b from the next stage on
  long long step_of_b_;
};

/// The same for any other matrices, element by element.
template <class T, class In>
class Elements {
 public:
  __device__ Elements(const Matrices<T, In>& in, int first_row, int first_column)
      : in_(in), first_row_(first_row), first_column_(first_column) {}

  __device__ void fetch(Stage<T>& stage) {
    const int thread = static_cast<int>(threadIdx.x);
    const auto copy = [](Piece<T>& to, const In* matrix, long long from, int left) {
#pragma unroll
      for (int w = 0; w < kWidth<T>; ++w) {
        if constexpr (sizeof(In) == sizeof(T))
          copy_later<sizeof(T)>(&to.at[w], left > w ? matrix + from + w : matrix, left > w);
        else
          to.at[w] = left > w ? T(matrix[from + w]) : T(0);
      }
    };
#pragma unroll
    for (int at = 0; at < kRows<T> * kPiecesOfRow; at += kThreads<T>) {
      const int row = (thread + at) / kPiecesOfRow, piece = thread % kPiecesOfRow;
      const int column = depth_ + piece * kWidth<T>;
      copy(stage.of_a(row, piece), in_.a, static_cast<long long>(first_row_ + row) * in_.k + column,
           first_row_ + row < in_.m ? in_.k - column : 0);
    }
#pragma unroll
    for (int at = 0; at < kDepth<T> * kPiecesOfColumns<T>; at += kThreads<T>) {
      const int row = (thread + at) / kPiecesOfColumns<T>, piece = (thread + at) % kPiecesOfColumns<T>;
      const int column = first_column_ + piece * kWidth<T>;
      copy(stage.of_b(row, piece), in_.b, static_cast<long long>(depth_ + row) * in_.n + column,
           depth_ + row < in_.k ? in_.n - column : 0);
    }
    depth_ += kDepth<T>;
  }

 private:
  const Matrices<T, In>& in_;
  int first_row_, first_column_, depth_ = 0;
};

/// Where a thread's sums stand in a tile: rows row + 8i, and in them the pieces piece + 4j.
template <class T>
struct Place {
  int row, piece;
};

template <class T>
__device__ Place<T> place_of_thread() {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  constexpr int kDown = kRows<T> / 64;  // warps
  return {warp % kDown * 64 + lane / 4, warp / kDown * 16 + lane % 4};
}

template <class T>
using Sums = T[8][4][kWidth<T>];

/// Adds the product of a stage. Four rows at a time, to and fro along them, so that neighbouring multiplications
/// share a factor.
template <class T>
__device__ void multiply(Stage<T>& stage, const Place<T>& place, Sums<T>& sums) {
  Piece<T> left[2][8], right[2][4];
#pragma unroll
  for (int i = 0; i < 8; ++i) left[0][i] = stage.of_a(place.row + 8 * i, 0);
#pragma unroll
  for (int j = 0; j < 4; ++j) right[0][j] = stage.of_b(0, place.piece + 4 * j);
#pragma unroll
  for (int step = 0; step < kDepth<T>; ++step) {
    const int q = step / kWidth<T>, w = step % kWidth<T>;
    if (step + 1 < kDepth<T>) {
#pragma unroll
      for (int j = 0; j < 4; ++j) right[(step + 1) % 2][j] = stage.of_b(step + 1, place.piece + 4 * j);
    }
    if (w == kWidth<T> - 1 && q + 1 < kPiecesOfRow) {
#pragma unroll
      for (int i = 0; i < 8; ++i) left[(q + 1) % 2][i] = stage.of_a(place.row + 8 * i, q + 1);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int at = 0; at < 4 * kWidth<T>; ++at) {
        const int column = i % 2 == 0 ? at : 4 * kWidth<T> - 1 - at;
        const int j = column / kWidth<T>, v = column % kWidth<T>;
        sums[i][j][v] += left[q % 2][i].at[w] * right[step % 2][j].at[v];
      }
    }
  }
}

#ifdef HAS_TENSOR_CORES
/// c (16 × 8) += a (16 × 8) · b (8 × 8) by a warp. With g = lane / 4 and t = lane % 4, a lane has rows g and g + 8 of
/// a in columns t and t + 4, column g of b in rows t and t + 4, and rows g and g + 8 of c in columns 2t and 2t + 1.
__device__ void multiply_by_warp(double (&upper)[2], double (&lower)[2], const double (&a_upper)[2],
                                 const double (&a_lower)[2], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
      "%2, %3};"
      : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
      : "d"(a_upper[0]), "d"(a_lower[0]), "d"(a_upper[1]), "d"(a_lower[1]), "d"(b[0]), "d"(b[1]));
#else
  const auto quarter = [](double(&c)[2], double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
  };
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    quarter(upper, a_upper[h], b[h]);
    quarter(lower, a_lower[h], b[h]);
  }
#endif
}

template <>
__device__ void multiply(Stage<double>& stage, const Place<double>& place, Sums<double>& sums) {
  const int g = static_cast<int>(threadIdx.x) % 32 / 4, t = static_cast<int>(threadIdx.x) % 4;
  double left[8][2], right[4][2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
#pragma unroll
    for (int j = 0; j < 4; ++j) right[j][h] = stage.of_b(t + 4 * h, place.piece - t + 4 * j + g / 2).at[g % 2];
#pragma unroll
    for (int i = 0; i < 8; ++i) left[i][h] = stage.of_a(place.row + 8 * i, t / 2 + 2 * h).at[t % 2];
  }
#pragma unroll
  for (int i = 0; i < 8; i += 2)
#pragma unroll
    for (int j = 0; j < 4; ++j) multiply_by_warp(sums[i][j], sums[i + 1][j], left[i], left[i + 1], right[j]);
}
#endif

template <bool kByPieces, class T, class In>
struct SourceOf {
  using Type = Pieces<T>;
};
template <class T, class In>
struct SourceOf<false, T, In> {
  using Type = Elements<T, In>;
};

template <bool kByPieces, class T, class In>
__device__ void product(Stage<T>* stages, const Matrices<T, In>& in, int first_row, int first_column) {
  const int steps = (in.k + kDepth<T> - 1) / kDepth<T>;
  const Place<T> place = place_of_thread<T>();
  typename SourceOf<kByPieces, T, In>::Type source(in, first_row, first_column);
  Sums<T> sums = {};
  for (int step = 0; step < kStages<T> - 1; ++step) {
    if (step < steps) source.fetch(stages[step]);
    end_of_copies();
  }
  int current = 0, next = kStages<T> - 1;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<kStages<T> - 2>();
    // Now every thread has this stage's part, and is done with the stage before, which is filled again.
    __syncthreads();
    if (step + kStages<T> - 1 < steps) source.fetch(stages[next]);
    end_of_copies();
    multiply(stages[current], place, sums);
    current = current + 1 < kStages<T> ? current + 1 : 0;
    next = next + 1 < kStages<T> ? next + 1 : 0;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = first_row + place.row + 8 * i;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = first_column + (place.piece + 4 * j) * kWidth<T>;
      In* const to = in.c + static_cast<long long>(row) * in.n + column;
      if constexpr (kByPieces) {
        Piece<T> piece;
#pragma unroll
        for (int v = 0; v < kWidth<T>; ++v) piece.at[v] = sums[i][j][v];
        if (row < in.m && column < in.n) *reinterpret_cast<Piece<T>*>(to) = piece;
      } else {
#pragma unroll
        for (int v = 0; v < kWidth<T>; ++v)
          if (row < in.m && column + v < in.n) to[v] = In(sums[i][j][v]);
      }
    }
  }
}

/// `across` tiles of 128 columns cover c.
template <class T, class In>
__device__ void matmul(Stage<T>* stages, const Matrices<T, In>& in, int across) {
  const int down = (in.m + kRows<T> - 1) / kRows<T>;
  const int first = static_cast<int>(blockIdx.x) / (kGroup * across) * kGroup;
  const int rows = down - first < kGroup ? down - first : kGroup;
  const int in_group = static_cast<int>(blockIdx.x) - first * across;
  const int first_row = (first + in_group % rows) * kRows<T>, first_column = in_group / rows * kColumns;
  const auto begins_well = [](const void* array) { return reinterpret_cast<unsigned long long>(array) % 16 == 0; };
  if constexpr (sizeof(In) == sizeof(T)) {
    if (in.k % kWidth<T> == 0 && in.n % kWidth<T> == 0 && begins_well(in.a) && begins_well(in.b) && begins_well(in.c)) {
      product<true>(stages, in, first_row, first_column);
      return;
    }
  }
  product<false>(stages, in, first_row, first_column);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads<float>, 1)
matmul_float32(const float* a, const float* b, float* c, int m, int n, int k, int across) {
  __shared__ Stage<float> stages[kStages<float>];
  matmul(stages, Matrices<float>{a, b, c, m, n, k}, across);
}

extern "C" __global__ void __launch_bounds__(kThreads<double>, 1)
matmul_float64(const double* a, const double* b, double* c, int m, int n, int k, int across) {
  __shared__ Stage<double> stages[kStages<double>];
  matmul(stages, Matrices<double>{a, b, c, m, n, k}, across);
}

extern "C" __global__ void __launch_bounds__(kThreads<float>, 1)
matmul_float16(const kernelbatch::float16* a, const kernelbatch::float16* b, kernelbatch::float16* c, int m, int n,
               int k, int across) {
  __shared__ Stage<float> stages[kStages<float>];
  matmul(stages, Matrices<float, kernelbatch::float16>{a, b, c, m, n, k}, across);
}

extern "C" __global__ void __launch_bounds__(kThreads<float>, 1)
matmul_bfloat16(const kernelbatch::bfloat16* a, const kernelbatch::bfloat16* b, kernelbatch::bfloat16* c, int m, int n,
                int k, int across) {
  __shared__ Stage<float> stages[kStages<float>];
  matmul(stages, Matrices<float, kernelbatch::bfloat16>{a, b, c, m, n, k}, across);
}
