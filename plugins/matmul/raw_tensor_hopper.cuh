// c = a·b by wgmma, for compute capability 9.0 alone (sm_90a). Blocks stay: each takes tile after tile of c. Of its
// three warpgroups the first has the tensor memory accelerator copy stages of both factors into shared memory, in a
// ring of four; the other two multiply what has come, 64 by 256 sums each. The text follows that of warpgroup.cuh.
//
// wgmma multiplies x (64 rows in each warpgroup) by y (256 columns). Of 16 bits, x is a and y is b; both are read from
// shared memory, b across its rows. TF32 cannot be read across: there x is b transposed, which each thread loads from
// shared memory, rounds and keeps in registers, y is a, and what comes out is c transposed.
//
// Shared memory holds boxes whose rows have 128 bytes. Their pieces of 16 bytes lie as the accelerator swizzles them:
// piece p of row r is at p ^ r % 8.

namespace {

constexpr int kOfX = 128, kOfY = 256;  // a tile
constexpr int kStages = 4;
constexpr int kRowBytes = 128;
constexpr int kXBytes = kOfX * kRowBytes, kYBytes = kOfY * kRowBytes;
constexpr int kStageBytes = kXBytes + kYBytes;

template <class T>
constexpr bool kIsWide = sizeof(T) == 4;
template <class T>
constexpr int kDepth = kRowBytes / sizeof(T);  // of a stage
template <class T>
constexpr int kTileRows = kIsWide<T> ? kOfY : kOfX;
template <class T>
constexpr int kTileColumns = kIsWide<T> ? kOfX : kOfY;
/// Rows of tiles that are worked on side by side, to share what the L2 cache has.
template <class T>
constexpr int kGroup = 2048 / kTileRows<T>;

// ---- the ring ---------------------------------------------------------------------------------

/// Four stages, and for each a barrier that it is full and one that it is empty.
class Ring {
 public:
  __device__ Ring(unsigned memory)
      : stages_((memory + 1023) / 1024 * 1024), barriers_(stages_ + kStages * kStageBytes) {}
  __device__ void make() const {
    for (int k = 0; k < kStages; ++k) {
      make_barrier(full(k), 1);
      make_barrier(empty(k), 8);  // warps that multiply
    }
    show_barriers();
  }
  __device__ unsigned x(int step) const { return stages_ + step % kStages * kStageBytes; }
  __device__ unsigned y(int step) const { return x(step) + kXBytes; }
  __device__ unsigned full(int step) const { return barriers_ + step % kStages * 8; }
  __device__ unsigned empty(int step) const { return full(step) + kStages * 8; }
  __device__ void wait_full(int step) const { wait(full(step), step / kStages & 1); }
  /// Of a stage's first use nothing is to be waited for.
  __device__ void wait_empty(int step) const { wait(empty(step), step / kStages & 1 ^ 1); }
  __device__ void release(int step) const {
    if (threadIdx.x % 32 == 0) arrive(empty(step));
  }

 private:
  unsigned stages_, barriers_;
};

struct Matrices {
  const TensorMap& a;
  const TensorMap& b;
  int m, n, k;
};

/// Calls `work(first row, first column)` of each of the block's tiles.
template <class T, class F>
__device__ void for_each_tile(const Matrices& in, const F& work) {
  const int down = (in.m + kTileRows<T> - 1) / kTileRows<T>, across = (in.n + kTileColumns<T> - 1) / kTileColumns<T>;
  for (int tile = static_cast<int>(blockIdx.x); tile < down * across; tile += static_cast<int>(gridDim.x)) {
    const int first = tile / (kGroup<T> * across) * kGroup<T>;
    const int rows = down - first < kGroup<T> ? down - first : kGroup<T>;
    const int in_group = tile - first * across;
    work((first + in_group % rows) * kTileRows<T>, in_group / rows * kTileColumns<T>);
  }
}

/// Boxes of a have all of its tile's rows; those of b the columns of 128 bytes.
template <class T>
__device__ void copy_stages(const Matrices& in, const Ring& ring, int steps) {
  int count = 0;
  for_each_tile<T>(in, [&](int row, int column) {
    for (int step = 0; step < steps; ++step, ++count) {
      const unsigned full = ring.full(count), place_of_b = kIsWide<T> ? ring.x(count) : ring.y(count);
      ring.wait_empty(count);
      expect(full, kStageBytes);
      copy_box(kIsWide<T> ? ring.y(count) : ring.x(count), in.a, step * kDepth<T>, row, full);
      for (int box = 0; box < 4; ++box)
        copy_box(place_of_b + box * kDepth<T> * kRowBytes, in.b, column + box * kDepth<T>, step * kDepth<T>, full);
    }
  });
}

/// Adds a tile's product of 16 bits to nothing; `count` stages were used before.
template <class T>
__device__ void multiply_tile(const Ring& ring, int steps, int& count, float (&sums)[128]) {
  const int own = (static_cast<int>(threadIdx.x) / 128 - 1) * 64 * kRowBytes;
  for (int step = 0; step < steps; ++step, ++count) {
    ring.wait_full(count);
    begin_products();
#pragma unroll
    for (int part = 0; part < 4; ++part)
      multiply(T{}, sums, description_of(ring.x(count) + own + part * 32, 16),
               description_of(ring.y(count) + part * 16 * kRowBytes, kDepth<T> * kRowBytes), step + part);
    end_products();
    wait_for_stage_before();
    if (step > 0) ring.release(count - 1);
  }
  wait_for_products(sums);
  ring.release(count - 1);
}

/// The thread's part of x of a stage: of each 8 elements of depth a fragment. With g = lane / 4 and t = lane % 4 it
/// has rows g and 8 + g of the warp's 16 in columns t and 4 + t.
__device__ void load_x(unsigned stage, unsigned (&x)[4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = (static_cast<int>(threadIdx.x) / 32 - 4) * 16 + lane / 4;
  const unsigned box = stage + row / 32 * (32 * kRowBytes);
#pragma unroll
  for (int part = 0; part < 4; ++part)
#pragma unroll
    for (int h = 0; h < 4; ++h) {
      const int depth = 8 * part + lane % 4 + h / 2 * 4, at = row % 32 + h % 2 * 8;
      const float value = load_shared(box + depth * kRowBytes + ((at / 4 ^ depth % 8) * 4 + at % 4) * 4);
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[part][h]) : "f"(value));
    }
}

/// The same of TF32. While x of a stage is loaded, the stage before is multiplied; two of them in a turn, so that each
/// has registers of its own.
template <>
__device__ void multiply_tile<float>(const Ring& ring, int steps, int& count, float (&sums)[128]) {
  unsigned x[2][4][4] = {};
  for (int step = 0; step < steps; step += 2) {
#pragma unroll
    for (int turn = 0; turn < 2; ++turn, ++count) {
      ring.wait_full(count);
      load_x(ring.x(count), x[turn]);
      begin_products();
#pragma unroll
      for (int part = 0; part < 4; ++part)
        multiply(x[turn][part], sums, description_of(ring.y(count) + part * 32, 16), step + turn + part);
      end_products();
      wait_for_stage_before();
      keep(x[1 - turn]);
      if (step + turn > 0) ring.release(count - 1);
    }
  }
  wait_for_products(sums);
  keep(x[1]);
  ring.release(count - 1);
}

// ---- results ----------------------------------------------------------------------------------

__device__ unsigned two_rounded(Half, float first, float second) {
  unsigned two;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
  return two;
}
__device__ unsigned two_rounded(BFloat, float first, float second) {
  unsigned two;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
  return two;
}

/// Four lanes have a word each of four pieces: afterwards each has a piece.
__device__ void exchange(unsigned (&words)[4]) {
  const unsigned lane = threadIdx.x % 4;
#pragma unroll
  for (int distance = 1; distance < 4; distance *= 2)
#pragma unroll
    for (int low = 0; low < 4; ++low) {
      if (low & distance) continue;
      const bool is_upper = lane & distance;
      const unsigned given = is_upper ? words[low] : words[low + distance];
      const unsigned got = __shfl_xor_sync(0xffffffffu, given, distance);
      (is_upper ? words[low] : words[low + distance]) = got;
    }
}

/// Of 8 columns each a lane has two in row lane / 4 and two in row 8 + lane / 4 of the warp's 16.
template <class T>
__device__ void store(T* c, int m, int n, int first_row, int first_column, const float (&sums)[128]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_row = first_row + (static_cast<int>(threadIdx.x) / 32 - 4) * 16 + lane / 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp_row + 8 * half;
#pragma unroll
    for (int j = 0; j < 32; j += 4) {
      unsigned words[4];
#pragma unroll
      for (int w = 0; w < 4; ++w)
        words[w] = two_rounded(T{}, sums[4 * (j + w) + 2 * half], sums[4 * (j + w) + 2 * half + 1]);
      exchange(words);
      const int column = first_column + 8 * (j + lane % 4);
      if (row < m && column < n)
        *reinterpret_cast<uint4*>(c + static_cast<long long>(row) * n + column) =
            uint4{words[0], words[1], words[2], words[3]};
    }
  }
}

/// Here the sums are of c transposed.
template <>
__device__ void store(float* c, int m, int n, int first_row, int first_column, const float (&sums)[128]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int column = first_column + (static_cast<int>(threadIdx.x) / 32 - 4) * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 32; ++j)
#pragma unroll
    for (int h = 0; h < 4; ++h) {
      const int row = first_row + 8 * j + lane % 4 * 2 + h % 2, own = column + h / 2 * 8;
      if (row < m && own < n) c[static_cast<long long>(row) * n + own] = sums[4 * j + h];
    }
}

template <class T>
__device__ void matmul(const Matrices& in, T* c) {
  extern __shared__ unsigned char memory[];
  const Ring ring(place_of(memory));
  if (threadIdx.x == 0) ring.make();
  __syncthreads();
  int steps = (in.k + kDepth<T> - 1) / kDepth<T>;
  if (kIsWide<T>) steps = (steps + 1) / 2 * 2;
  if (threadIdx.x < 128) {
    keep_few_registers();
    if (threadIdx.x == 0) copy_stages<T>(in, ring, steps);
  } else {
    take_their_registers();
    int count = 0;
    for_each_tile<T>(in, [&](int row, int column) {
      float sums[128];
      multiply_tile<T>(ring, steps, count, sums);
      store(c, in.m, in.n, row, column, sums);
    });
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(384, 1)
matmul_float16(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Half* c, int m, int n,
               int k) {
  matmul<Half>({a, b, m, n, k}, c);
}

extern "C" __global__ void __launch_bounds__(384, 1)
matmul_bfloat16(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, BFloat* c, int m, int n,
                int k) {
  matmul<BFloat>({a, b, m, n, k}, c);
}

extern "C" __global__ void __launch_bounds__(384, 1)
matmul_float32(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int m, int n,
               int k) {
  matmul<float>({a, b, m, n, k}, c);
}
