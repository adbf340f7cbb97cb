// The definitions of plugins/matmul/warpgroup.cuh in plain code for the host device, according to the PTX ISA: barriers
// that count bytes, copies of swizzled boxes, descriptions of matrices in shared memory, products of 64 by 256. Copies
// and products are done immediately, so missing waits are not detected here.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

/// The tensor map of the test: of a matrix with `item` bytes per element, in boxes of `box_rows` rows of 128 bytes.
struct alignas(64) TensorMap {
  unsigned long long data, columns, rows, item, box_rows, as_tf32, rest[10];
};
struct Half {
  unsigned short bits;
};
struct BFloat {
  unsigned short bits;
};

/// Addresses in shared memory are relative to its beginning.
__device__ unsigned char* at(unsigned place) {
  extern __shared__ unsigned char all[];
  return all + place;
}
__device__ unsigned place_of(const void* shared) {
  return static_cast<unsigned>(static_cast<const unsigned char*>(shared) - at(0));
}
template <class T>
__device__ T& as(unsigned place) {
  return *reinterpret_cast<T*>(at(place));
}

struct Barrier {
  unsigned char arrivals, missing;
  unsigned short phase;
  int bytes;
};

__device__ void look(Barrier& barrier) {
  if (barrier.missing != 0 || barrier.bytes != 0) return;
  barrier.phase ^= 1;
  barrier.missing = barrier.arrivals;
}
__device__ void make_barrier(unsigned barrier, int arrivals) {
  as<Barrier>(barrier) = {static_cast<unsigned char>(arrivals), static_cast<unsigned char>(arrivals), 0, 0};
}
__device__ void show_barriers() {}
__device__ void arrive(unsigned barrier) {
  --as<Barrier>(barrier).missing;
  look(as<Barrier>(barrier));
}
__device__ void expect(unsigned barrier, int bytes) {
  as<Barrier>(barrier).bytes += bytes;
  arrive(barrier);
}
__device__ void wait(unsigned barrier, int parity) {
  while (as<volatile unsigned short>(barrier + 2) == parity) __kernelbatch_yield();
}

__device__ unsigned swizzled(unsigned place) { return place ^ (place >> 7 & 7) << 4; }

__device__ void copy_box(unsigned to, const TensorMap& from, int column, int row, unsigned barrier) {
  const int item = static_cast<int>(from.item);
  for (int r = 0; r < static_cast<int>(from.box_rows); ++r)
    for (int c = 0; c < 128 / item; ++c) {
      const bool is_there = row + r < static_cast<int>(from.rows) && column + c < static_cast<int>(from.columns);
      const unsigned long long element = (row + r) * from.columns + column + c;
      unsigned bits = 0;
      if (is_there) memcpy(&bits, reinterpret_cast<const char*>(from.data) + element * item, item);
      if (from.as_tf32) bits = (bits + 0x1000) & ~0x1fffu;
      memcpy(at(swizzled(to + r * 128 + c * item)), &bits, item);
    }
  as<Barrier>(barrier).bytes -= static_cast<int>(from.box_rows) * 128;
  look(as<Barrier>(barrier));
}

__device__ float load_shared(unsigned place) { return as<float>(place); }
__device__ void keep_few_registers() {}
__device__ void take_their_registers() {}

__device__ unsigned long long description_of(unsigned place, int leading) {
  return static_cast<unsigned long long>((place & 0x3ffff) >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(1024 >> 4) << 32 | 1ull << 62;
}
struct Description {
  unsigned start, leading, stride;
  __device__ Description(unsigned long long bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4), stride((bits >> 32 & 0x3fff) << 4) {}
  /// Address of an element of a matrix that is read along its rows of 128 bytes, or across them.
  __device__ unsigned along(int row, int byte) const { return swizzled(start + row / 8 * stride + row % 8 * 128 + byte); }
  __device__ unsigned across(int k, int column, int item) const {
    const int in_row = 128 / item;
    return swizzled(start + column / in_row * leading + k / 8 * stride + k % 8 * 128 + column % in_row * item);
  }
};

__device__ float number(Half, unsigned place) { return kernelbatch::detail::half_to_float(as<unsigned short>(place)); }
__device__ float number(BFloat, unsigned place) { return __uint_as_float(unsigned(as<unsigned short>(place)) << 16); }

/// Sum 4j + 2h + w belongs to row lane / 4 + 8h of the warp's 16 and column 8j + 2·(lane % 4) + w.
template <class F>
__device__ void add_to(float (&sums)[128], int keeps, const F& product) {
  const int lane = threadIdx.x % 32;
  for (int s = 0; s < 128; ++s) {
    const int row = lane / 4 + s / 2 % 2 * 8, column = s / 4 * 8 + lane % 4 * 2 + s % 2;
    sums[s] = (keeps ? sums[s] : 0) + product(row, column);
  }
}

template <class T>
__device__ void multiply(T, float (&sums)[128], unsigned long long x, unsigned long long y, int keeps) {
  const Description of_x(x), of_y(y);
  const int warp_row = threadIdx.x / 32 % 4 * 16;
  add_to(sums, keeps, [&](int row, int column) {
    float sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += number(T{}, of_x.along(warp_row + row, 2 * k)) * number(T{}, of_y.across(k, column, 2));
    return sum;
  });
}

__device__ void multiply(const unsigned (&x)[4], float (&sums)[128], unsigned long long y, int keeps) {
  const Description of_y(y);
  float rows[2][8];
  for (int k = 0; k < 8; ++k)
    for (int h = 0; h < 2; ++h)
      rows[h][k] = __uint_as_float(__shfl_sync(0xffffffffu, x[h + k / 4 * 2], threadIdx.x % 32 / 4 * 4 + k % 4));
  add_to(sums, keeps, [&](int row, int column) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += rows[row / 8][k] * as<float>(of_y.along(column, 4 * k));
    return sum;
  });
}

__device__ void begin_products() {}
__device__ void end_products() {}
// All lanes of a warp have arrived, as after the instruction.
__device__ void wait_for_stage_before() { __syncwarp(); }
__device__ void wait_for_products(float (&)[128]) { __syncwarp(); }
__device__ void keep(const unsigned (&)[4][4]) {}

}  // namespace
