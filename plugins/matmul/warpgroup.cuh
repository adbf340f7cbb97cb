// What matmul's raw_tensor_hopper.cuh, whose text follows this one, has of compute capability 9.0: barriers in shared
// memory, copies by the tensor memory accelerator, products by warpgroups.

namespace {

/// What tells the accelerator of a matrix in global memory.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};
struct Half {
  unsigned short bits;
};
struct BFloat {
  unsigned short bits;
};

__device__ unsigned place_of(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

// ---- barriers in shared memory ----------------------------------------------------------------

__device__ void make_barrier(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// What was made is there for the accelerator, too.
__device__ void show_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives, and has the barrier wait for as many bytes, too.
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// Waits for the end of the phase with this parity.
__device__ void wait(unsigned barrier, int parity) {
  unsigned is_over = 0;
  while (is_over == 0)
    asm volatile(
        "{\n.reg .pred over;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
        "selp.u32 %0, 1, 0, over;\n}"
        : "=r"(is_over)
        : "r"(barrier), "r"(parity)
        : "memory");
}

/// Has the box at a column and row of a matrix copied; what lies beyond the matrix is zero.
__device__ void copy_box(unsigned to, const TensorMap& from, int column, int row, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
      :
      : "r"(to), "l"(&from), "r"(column), "r"(row), "r"(barrier)
      : "memory");
}

__device__ float load_shared(unsigned place) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(place) : "memory");
  return value;
}

// Of 168 registers in each of 384 threads.
__device__ void keep_few_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }
__device__ void take_their_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }

// ---- multiplying ------------------------------------------------------------------------------

/// Of a matrix in shared memory. `leading`: bytes to the next 64 columns of one that is read across its rows;
/// eight rows have 1024 bytes.
__device__ unsigned long long description_of(unsigned place, int leading) {
  return static_cast<unsigned long long>((place & 0x3ffff) >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(1024 >> 4) << 32 | 1ull << 62;
}

// 128 operands by number, and the sums that they are.
#define KB_TEN(n) n "0, %" n "1, %" n "2, %" n "3, %" n "4, %" n "5, %" n "6, %" n "7, %" n "8, %" n "9, %"
#define KB_NUMBERS                                                                                                     \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %" KB_TEN("1") KB_TEN("2") KB_TEN("3") KB_TEN("4") KB_TEN("5") KB_TEN("6") \
      KB_TEN("7") KB_TEN("8") KB_TEN("9") KB_TEN("10")                                                                 \
          KB_TEN("11") "120, %121, %122, %123, %124, %125, %126, %127}"
#define KB_4(k) "+f"(sums[k]), "+f"(sums[k + 1]), "+f"(sums[k + 2]), "+f"(sums[k + 3])
#define KB_16(k) KB_4(k), KB_4(k + 4), KB_4(k + 8), KB_4(k + 12)
#define KB_SUMS KB_16(0), KB_16(16), KB_16(32), KB_16(48), KB_16(64), KB_16(80), KB_16(96), KB_16(112)

/// sums = x·y + (keeps ? sums : 0) of 16 elements of depth, y read across its rows.
#define KB_MULTIPLY(Type, name)                                                                                        \
  __device__ void multiply(Type, float(&sums)[128], unsigned long long x, unsigned long long y, int keeps) {           \
    asm volatile("{\n.reg .pred keeps;\nsetp.ne.b32 keeps, %130, 0;\n"                                                 \
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32." name "." name " " KB_NUMBERS                           \
                 ", %128, %129, keeps, 1, 1, 0, 1;\n}"                                                                 \
                 : KB_SUMS                                                                                             \
                 : "l"(x), "l"(y), "r"(keeps));                                                                        \
  }
KB_MULTIPLY(Half, "f16")
KB_MULTIPLY(BFloat, "bf16")

/// The same of 8 elements of depth in TF32, x in registers and y read along its rows.
__device__ void multiply(const unsigned (&x)[4], float (&sums)[128], unsigned long long y, int keeps) {
  asm volatile("{\n.reg .pred keeps;\nsetp.ne.b32 keeps, %133, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " KB_NUMBERS
               ", {%128, %129, %130, %131}, %132, keeps, 1, 1;\n}"
               : KB_SUMS
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(y), "r"(keeps));
}

__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits for all products but the last stage's, or for all of them: the sums are there only then.
__device__ void wait_for_stage_before() { asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); }
__device__ void wait_for_products(float (&sums)[128]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : KB_SUMS : : "memory");
}
/// Products have read from these registers up to here.
__device__ void keep(const unsigned (&x)[4][4]) {
#pragma unroll
  for (int part = 0; part < 4; ++part)
    asm volatile("" ::"r"(x[part][0]), "r"(x[part][1]), "r"(x[part][2]), "r"(x[part][3]));
}

}  // namespace
