// c = a·b by mma.sync: a block of 256 threads for each tile of 128 by 128 of c, in it a warp for 64 by 32. Both factors
// come in stages of 64 bytes of a row of a. Three stages are in shared memory: while one is multiplied, the next two
// are on their way. Products are added up in float32. A float32 factor is rounded to TF32 when it is loaded.

namespace {

constexpr int kRows = 128, kColumns = 128;  // of a tile
constexpr int kThreads = 256;
constexpr int kStages = 3;
constexpr int kGroup = 16;  // rows of tiles whose blocks run side by side, to share what the L2 cache has

struct Half {
  unsigned short bits;
};
struct BFloat {
  unsigned short bits;
};

/// Elements that are copied, loaded and stored at once.
template <class T>
constexpr int kWidth = 16 / sizeof(T);

template <class T>
struct alignas(16) Piece {
  T at[kWidth<T>];
};

constexpr int kPiecesOfRow = 4;  // of a's part of a stage
template <class T>
constexpr int kDepth = kPiecesOfRow* kWidth<T>;
template <class T>
constexpr int kPiecesOfColumns = kColumns / kWidth<T>;

/// A stage's part of both factors. Pieces are kept in an order in which those that a warp loads at once are in
/// different banks: eight rows of a or, of 16 bits, of b; of 32 bits two pieces of four rows of b.
template <class T>
struct Stage {
  Piece<T> a[kRows * kPiecesOfRow];
  Piece<T> b[kDepth<T> * kPiecesOfColumns<T>];

  __device__ Piece<T>& of_a(int row, int piece) { return a[row * kPiecesOfRow + (piece ^ (row >> 1 & 3))]; }
  __device__ Piece<T>& of_b(int row, int piece) {
    return b[row * kPiecesOfColumns<T> + (piece ^ (sizeof(T) == 2 ? row & 7 : (row & 3) << 1))];
  }
};

template <class T>
struct Matrices {
  const T* a;
  const T* b;
  T* c;
  int m, n, k;
};

__device__ unsigned place_of(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

/// Queues a copy of a piece, or of zeros where there is none.
__device__ void copy_later(void* to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place_of(to)), "l"(from), "r"(is_there ? 16 : 0)
               : "memory");
}

/// Piece `row`, `column` of a matrix whose rows all begin at a multiple of 16 bytes; beyond it there are zeros.
template <class T>
__device__ void fetch_piece(Piece<T>& to, const T* matrix, int row, int column, int rows, int columns) {
  const bool is_there = row < rows && column < columns;
  copy_later(&to, is_there ? matrix + static_cast<long long>(row) * columns + column : matrix, is_there);
}

/// The same of any other matrix, element by element.
template <class T>
__device__ void gather_piece(Piece<T>& to, const T* matrix, int row, int column, int rows, int columns) {
  const T* const from = matrix + static_cast<long long>(row) * columns + column;
  Piece<T> piece;
#pragma unroll
  for (int w = 0; w < kWidth<T>; ++w) piece.at[w] = row < rows && column + w < columns ? from[w] : T{};
  to = piece;
}

template <bool kByPieces, class T>
__device__ void fetch(Stage<T>& stage, const Matrices<T>& in, int first_row, int first_column, int depth) {
  const auto piece = [](Piece<T>& to, const T* matrix, int row, int column, int rows, int columns) {
    if constexpr (kByPieces)
      fetch_piece(to, matrix, row, column, rows, columns);
    else
      gather_piece(to, matrix, row, column, rows, columns);
  };
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int at = thread; at < kRows * kPiecesOfRow; at += kThreads) {
    const int row = at / kPiecesOfRow, own = at % kPiecesOfRow;
    piece(stage.of_a(row, own), in.a, first_row + row, depth + own * kWidth<T>, in.m, in.k);
  }
#pragma unroll
  for (int at = thread; at < kDepth<T> * kPiecesOfColumns<T>; at += kThreads) {
    const int row = at / kPiecesOfColumns<T>, own = at % kPiecesOfColumns<T>;
    piece(stage.of_b(row, own), in.b, depth + row, first_column + own * kWidth<T>, in.k, in.n);
  }
}

using Four = unsigned[4];

__device__ void load_matrices(Four& to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(place_of(row))
               : "memory");
}
__device__ void load_transposed(Four& to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(place_of(row))
               : "memory");
}

__device__ void to_tf32(unsigned& bits) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  bits = rounded;
}

/// sums (16 × 8) += a (16 × 32 bytes) · b (32 bytes × 8) by a warp.
__device__ void add_product(Half, float (&sums)[4], const Four& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void add_product(BFloat, float (&sums)[4], const Four& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void add_product(float, float (&sums)[4], const Four& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Adds the product of a stage to the warp's 64 by 32 sums.
template <class T>
__device__ void multiply(Stage<T>& stage, int warp_row, int warp_column, float (&sums)[4][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int piece = 0; piece < kPiecesOfRow; piece += 2) {
    Four left[4], right[2];  // right: for each 16 columns the two halves of their depth, column by column
#pragma unroll
    for (int i = 0; i < 4; ++i)
      load_matrices(left[i], &stage.of_a(warp_row + 16 * i + lane % 16, piece + lane / 16));
    const int depth = piece * kWidth<T>;
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_transposed(right[j], &stage.of_b(depth + lane % 16, warp_column / 8 + 2 * j + lane / 16));
    } else {
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int h = 0; h < 4; ++h) {
          const int column = warp_column + 16 * j + 8 * (h / 2) + lane / 4;
          right[j][h] = __float_as_uint(stage.of_b(depth + lane % 4 + 4 * (h % 2), column / 4).at[column % 4]);
          to_tf32(right[j][h]);
        }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int h = 0; h < 4; ++h) to_tf32(left[i][h]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        add_product(T{}, sums[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
  }
}

__device__ void round_to(float& to, float sum) { to = sum; }
__device__ void round_to(Half& to, float sum) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(sum)); }
__device__ void round_to(BFloat& to, float sum) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(sum)); }

template <class T>
struct alignas(2 * sizeof(T)) Two {
  T at[2];
};

/// A lane has rows lane / 4 and 8 + lane / 4 of each 16 by 8 sums, in them columns 2·(lane % 4) and the next.
template <bool kByPieces, class T>
__device__ void store(const Matrices<T>& in, int first_row, int first_column, const float (&sums)[4][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + 16 * i + 8 * half + lane / 4;
      if (row >= in.m) continue;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int column = first_column + 8 * j + lane % 4 * 2;
        T* const to = in.c + static_cast<long long>(row) * in.n + column;
        Two<T> two;
        round_to(two.at[0], sums[i][j][2 * half]);
        round_to(two.at[1], sums[i][j][2 * half + 1]);
        if constexpr (kByPieces) {
          if (column < in.n) *reinterpret_cast<Two<T>*>(to) = two;
        } else {
          if (column < in.n) to[0] = two.at[0];
          if (column + 1 < in.n) to[1] = two.at[1];
        }
      }
    }
}

template <bool kByPieces, class T>
__device__ void product(Stage<T>* stages, const Matrices<T>& in, int first_row, int first_column) {
  const int steps = (in.k + kDepth<T> - 1) / kDepth<T>;
  const int warp = static_cast<int>(threadIdx.x) / 32, warp_row = warp % 2 * 64, warp_column = warp / 2 * 32;
  const auto fetch_step = [&](int step) {
    if (step < steps)
      fetch<kByPieces>(stages[step % kStages], in, first_row, first_column, step * kDepth<T>);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float sums[4][4][4] = {};
  for (int step = 0; step < kStages - 1; ++step) fetch_step(step);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    // Now every thread has this stage's part, and is done with the stage before, which is filled again.
    __syncthreads();
    fetch_step(step + kStages - 1);
    multiply(stages[step % kStages], warp_row, warp_column, sums);
  }
  store<kByPieces>(in, first_row + warp_row, first_column + warp_column, sums);
}

/// `across` tiles of 128 columns cover c.
template <class T>
__device__ void matmul(const Matrices<T>& in, int across) {
  __shared__ Stage<T> stages[kStages];
  const int down = (in.m + kRows - 1) / kRows;
  const int first = static_cast<int>(blockIdx.x) / (kGroup * across) * kGroup;
  const int rows = down - first < kGroup ? down - first : kGroup;
  const int in_group = static_cast<int>(blockIdx.x) - first * across;
  const int first_row = (first + in_group % rows) * kRows, first_column = in_group / rows * kColumns;
  const auto begins_well = [](const void* array) { return reinterpret_cast<unsigned long long>(array) % 16 == 0; };
  if (in.k % kWidth<T> == 0 && in.n % kWidth<T> == 0 && begins_well(in.a) && begins_well(in.b) && begins_well(in.c))
    product<true>(stages, in, first_row, first_column);
  else
    product<false>(stages, in, first_row, first_column);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
matmul_float16(const Half* a, const Half* b, Half* c, int m, int n, int k, int across) {
  matmul<Half>({a, b, c, m, n, k}, across);
}

extern "C" __global__ void __launch_bounds__(kThreads)
matmul_bfloat16(const BFloat* a, const BFloat* b, BFloat* c, int m, int n, int k, int across) {
  matmul<BFloat>({a, b, c, m, n, k}, across);
}

extern "C" __global__ void __launch_bounds__(kThreads)
matmul_float32(const float* a, const float* b, float* c, int m, int n, int k, int across) {
  matmul<float>({a, b, c, m, n, k}, across);
}
