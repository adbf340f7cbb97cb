// Inline PTX has the same results on every device.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;
using Words = std::vector<std::uint64_t>;

/// `f(const unsigned long long* in, unsigned long long* out)` with one block.
Words run(const std::string& body, const Words& in, std::size_t results, unsigned threads = 1,
          const std::string& before = "") {
  const RawKernel kernel{before +
                             "\nextern \"C\" __global__ void f(const unsigned long long* in, "
                             "unsigned long long* out) {\n" +
                             body + "\n}",
                         "f"};
  const Array from = device_array(in), out = device_array(Words(results));
  LaunchShape shape;
  shape.block = {threads};
  shape.shared_bytes = 4096;
  kernel(stream(), shape, from, out);
  return values_of<std::uint64_t>(out);
}

std::uint64_t bits(float x) {
  std::uint32_t word;
  std::memcpy(&word, &x, 4);
  return word;
}
std::uint64_t bits(double x) {
  std::uint64_t word;
  std::memcpy(&word, &x, 8);
  return word;
}
std::uint64_t low(std::int64_t x) { return static_cast<std::uint32_t>(x); }

/// A text of PTX with results of 32 bits, each from `%0 = …(%1, %2, %3)` with the inputs a, b, c.
Words results_of(const std::vector<std::string>& instructions, std::uint32_t a, std::uint32_t b,
                 std::uint32_t c) {
  std::string body = "unsigned a = in[0], b = in[1], c = in[2], d;\n";
  for (std::size_t k = 0; k < instructions.size(); ++k)
    body += "asm volatile(\"" + instructions[k] +
            "\" : \"=r\"(d) : \"r\"(a), \"r\"(b), \"r\"(c));\nout[" + std::to_string(k) +
            "] = d;\n";
  return run(body, {a, b, c}, instructions.size());
}

TEST_CASE("Integer instructions of PTX") {
  const std::uint32_t a = 0xfffffff6u, b = 7, c = 0x12345678u;  // a is -10
  CHECK(results_of({"add.s32 %0, %1, %2;",
                    "sub.u32 %0, %2, %1;",
                    "mul.lo.s32 %0, %1, %2;",
                    "mul.hi.u32 %0, %1, %3;",
                    "mul.hi.s32 %0, %1, %3;",
                    "mad.lo.u32 %0, %1, %2, %3;",
                    "div.s32 %0, %1, %2;",
                    "rem.s32 %0, %1, %2;",
                    "div.u32 %0, %1, %2;",
                    "min.s32 %0, %1, %2;",
                    "min.u32 %0, %1, %2;",
                    "abs.s32 %0, %1;",
                    "neg.s32 %0, %2;",
                    "popc.b32 %0, %1;",
                    "clz.b32 %0, %3;",
                    "brev.b32 %0, %3;",
                    "shl.b32 %0, %2, 40;",
                    "shr.s32 %0, %1, 1;",
                    "shr.u32 %0, %1, 1;",
                    "shr.s32 %0, %1, 99;",
                    "and.b32 %0, %1, %3;",
                    "xor.b32 %0, %1, 0xff;",
                    "not.b32 %0, %3;",
                    "lop3.b32 %0, %1, %2, %3, 0x96;",
                    "prmt.b32 %0, %3, %1, 0x0123;",
                    "bfe.u32 %0, %3, 8, 8;",
                    "bfe.s32 %0, %1, 0, 4;",
                    "bfi.b32 %0, %2, %3, 4, 8;",
                    "bfind.u32 %0, %3;",
                    "bfind.s32 %0, %1;",
                    "sad.s32 %0, %1, %2, %3;",
                    "add.sat.s32 %0, %1, -2147483647;",
                    "shf.l.wrap.b32 %0, %1, %3, 8;",
                    "shf.r.clamp.b32 %0, %1, %3, 40;",
                    "bmsk.clamp.b32 %0, 8, %2;",
                    "bmsk.clamp.b32 %0, 4, 40;",
                    "bmsk.clamp.b32 %0, 32, %2;",
                    "bmsk.wrap.b32 %0, 33, 39;"},
                   a, b, c) == Words{low(-3),
                                     low(17),
                                     low(-70),
                                     0x12345677u,
                                     0xffffffffu,
                                     low(-70 + std::int64_t{c}),
                                     low(-1),
                                     low(-3),
                                     a / b,
                                     low(-10),
                                     7,
                                     10,
                                     low(-7),
                                     static_cast<std::uint64_t>(__builtin_popcount(a)),
                                     3,
                                     0x1e6a2c48u,
                                     0,
                                     low(-5),
                                     a >> 1,
                                     low(-1),
                                     a & c,
                                     a ^ 0xff,
                                     low(~std::int64_t{c}),
                                     a ^ b ^ c,
                                     0x78563412u,
                                     0x56,
                                     6,
                                     (c & ~0xff0u) | 0x70,
                                     28,
                                     3,
                                     low(17 + std::int64_t{c}),
                                     0x80000000u,
                                     (c << 8) | (a >> 24),
                                     c,
                                     0x7f00,
                                     0xfffffff0u,
                                     0,
                                     0xfe});
}

TEST_CASE("Sums with carry, wide products and 64 bits") {
  const std::string body = R"(
unsigned lo, hi, a = in[0], b = in[1];
asm("add.cc.u32 %0, %2, %3;\n\t"
    "addc.u32 %1, 0, 0;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
out[0] = lo; out[1] = hi;
asm("{ sub.cc.u32 %0, %3, %2;\n subc.u32 %1, 5, 0; }" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
out[2] = lo; out[3] = hi;
unsigned long long wide;
asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
out[4] = wide;
asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(a), "r"(b), "l"(in[2]));
out[5] = wide;
asm("mul.hi.u64 %0, %1, %1;" : "=l"(wide) : "l"(in[2]));
out[6] = wide;
asm("mad.lo.cc.u32 %0, %2, %3, %2; madc.hi.u32 %1, %2, %3, 0;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
out[7] = lo; out[8] = hi;
asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(in[2]));
out[9] = lo; out[10] = hi;
asm("mov.b64 %0, {%1, %2};" : "=l"(wide) : "r"(b), "r"(a));
out[11] = wide;
asm("popc.b64 %0, %1;" : "=r"(lo) : "l"(in[2]));
out[12] = lo;
)";
  const std::uint64_t a = 0xfffffff6u, b = 0x10, x = 0xfedcba9876543210u;
  CHECK(run(body, {a, b, x}, 13) == Words{6, 1, (b - a) & 0xffffffffu, 4, a * b, x - 160,
                                          0xfdbac097c8dc5accu, (a * b + a) & 0xffffffffu,
                                          (a * b + a) >> 32, x & 0xffffffffu, x >> 32, a << 32 | b,
                                          32});
}

TEST_CASE("Predicates, selections and jumps") {
  const std::string body = R"(
int a = in[0], b = in[1], r;
asm volatile("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.b32 %0, 3, 4, p; @q add.s32 %0, %0, 10; }"
             : "=r"(r) : "r"(a), "r"(b));
out[0] = r;
asm volatile("{ .reg .pred p; setp.ge.and.s32 p, %1, %2, 1; @!p mov.u32 %0, 9; @p mov.u32 %0, 8; }"
             : "=r"(r) : "r"(a), "r"(b));
out[1] = r;
asm volatile("{ .reg .pred p; mov.u32 %0, 0;\n"
             "again: add.s32 %0, %0, 3; setp.lt.s32 p, %0, %1; @p bra again; }" : "=r"(r) : "r"(b));
out[2] = r;
float x = 1.5f, n = __int_as_float(0x7fffffff);
asm volatile("{ .reg .pred p; setp.neu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "f"(x), "f"(n));
out[3] = r;
asm volatile("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "f"(x), "f"(n));
out[4] = r;
asm volatile("set.gt.u32.f32 %0, %1, 0f3F800000;" : "=r"(r) : "f"(x));
out[5] = (unsigned)r;
asm volatile("slct.s32.s32 %0, 5, 6, %1;" : "=r"(r) : "r"(a));
out[6] = r;
)";
  CHECK(run(body, {low(-5), 20}, 7) == Words{3, 9, 21, 1, 0, 0xffffffffu, 6});
}

TEST_CASE("Floating point and conversions use the given rounding") {
  const std::string body = R"(
float x = __int_as_float((int)in[0]), y = __int_as_float((int)in[1]), z;
double d = __longlong_as_double((long long)in[2]), e;
int i; unsigned u; unsigned short h; long long l;
asm volatile("add.rz.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("add.rp.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("mul.rm.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("fma.rn.f32 %0, %1, %2, %1;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);

asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("sqrt.rn.f32 %0, %1;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("min.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("abs.f32 %0, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("neg.f32 %0, %1;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);

asm volatile("add.sat.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("rcp.rn.f32 %0, %1;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("cvt.rni.f32.f32 %0, %1;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);
 asm volatile("cvt.rmi.f32.f32 %0, %2;" : "=f"(z) : "f"(x), "f"(y)); *out++ = __float_as_uint(z);

asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(y)); *out++ = (unsigned)i;
asm volatile("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(1e20f)); *out++ = (unsigned)i;
asm volatile("cvt.rzi.u32.f32 %0, %1;" : "=r"(u) : "f"(-3.0f)); *out++ = u;
asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(z) : "d"(d)); *out++ = __float_as_uint(z);
asm volatile("cvt.rp.f32.f64 %0, %1;" : "=f"(z) : "d"(d)); *out++ = __float_as_uint(z);
asm volatile("cvt.f64.f32 %0, %1;" : "=d"(e) : "f"(x)); *out++ = __double_as_longlong(e);
asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(z) : "r"(-7)); *out++ = __float_as_uint(z);
asm volatile("cvt.sat.u8.s32 %0, %1;" : "=r"(u) : "r"(300)); *out++ = u & 255;
asm volatile("cvt.s64.s32 %0, %1;" : "=l"(l) : "r"(-7)); *out++ = l;
asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x)); *out++ = h;
asm volatile("cvt.f32.f16 %0, %1;" : "=f"(z) : "h"(h)); *out++ = __float_as_uint(z);
asm volatile("fma.rz.f64 %0, %1, %1, %1;" : "=d"(e) : "d"(d)); *out++ = __double_as_longlong(e);
)";
  const float x = 1.3f, y = -2.7f;
  const double d = 0.1;
  const Words got = run(body, {bits(x), bits(y), bits(d)}, 25);
  const auto directed = [](double exact, int way) {
    const float near = static_cast<float>(exact);
    if (way < 0 && near > exact) return std::nextafter(near, -INFINITY);
    if (way > 0 && near < exact) return std::nextafter(near, INFINITY);
    return near;
  };
  const double sum = double{x} + double{y}, product = double{x} * double{y};
  CHECK(got[0] == bits(directed(sum, 1)));  // towards zero: the sum is negative
  CHECK(got[1] == bits(directed(sum, 1)));
  CHECK(got[2] == bits(directed(product, -1)));
  CHECK(got[3] == bits(std::fma(x, y, x)));
  CHECK(got[4] == bits(x / y));
  CHECK(got[5] == bits(std::sqrt(x)));
  CHECK(got[6] == bits(y));
  CHECK(got[7] == bits(2.7f));
  CHECK(got[8] == bits(-x));
  CHECK(got[9] == bits(0.0f));
  CHECK(got[10] == bits(1.0f / x));
  CHECK(got[11] == bits(1.0f));
  CHECK(got[12] == bits(-3.0f));
  CHECK(got[13] == low(-2));
  CHECK(got[14] == 0x7fffffffu);
  CHECK(got[15] == 0);
  CHECK(got[16] == bits(static_cast<float>(d)));
  CHECK(got[17] == bits(directed(d, 1)));
  CHECK(got[18] == bits(double{x}));
  CHECK(got[19] == bits(-7.0f));
  CHECK(got[20] == 255);
  CHECK(got[21] == static_cast<std::uint64_t>(-7));
  CHECK(got[22] == 0x3d33);
  CHECK(got[23] == bits(1.2998046875f));
  CHECK(got[24] == bits(0.11));  // 0.1 * 0.1 + 0.1, towards zero
}

TEST_CASE("Memory, cache operators and atomic instructions") {
  const std::string body = R"(
__shared__ unsigned tile[64];
extern __shared__ unsigned dynamic[];
const unsigned t = threadIdx.x;
unsigned address, dynamic_address, v, w;
asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(tile));
dynamic_address = (unsigned)__cvta_generic_to_shared(dynamic);
asm volatile("st.shared.u32 [%0], %1;" :: "r"(address + 4 * t), "r"(t * 3) : "memory");
asm volatile("st.volatile.shared.u32 [%0 + 4], %1;" :: "r"(dynamic_address + 4 * t), "r"(t * 5) : "memory");
__syncthreads();
asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address + 4 * (t ^ 1)));
asm volatile("ld.shared.u32 %0, [%1+4];" : "=r"(w) : "r"(dynamic_address + 4 * (t ^ 1)));
unsigned long long big;
asm volatile("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(big) : "l"(in + 1));
unsigned a, b, c, d;
asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in));
int narrow;
asm volatile("ld.global.s8 %0, [%1];" : "=r"(narrow) : "l"(in));
unsigned long long* own = out + 8 * t;
asm volatile("st.global.cs.u64 [%0], %1;" :: "l"(own), "l"((unsigned long long)v << 32 | w) : "memory");
asm volatile("st.global.v2.u64 [%0+16], {%1, %2};" :: "l"(own), "l"(big), "l"((unsigned long long)(a + b + c + d)) : "memory");
own[1] = (unsigned)narrow;
unsigned old;
asm volatile("atom.shared.add.u32 %0, [%1], 2;" : "=r"(old) : "r"(dynamic_address + 1024) : "memory");
asm volatile("red.global.add.u64 [%0], %1;" :: "l"(out + 7), "l"(1ull) : "memory");
asm volatile("red.release.gpu.global.max.s32 [%0], %1;" :: "l"(out + 15), "r"((int)t) : "memory");
asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(big) : "l"(own + 4), "l"(0ull), "l"(77ull) : "memory");
asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(dynamic_address + 2048 + 8 * t), "l"(in + 1) : "memory");
asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
own[5] = *(unsigned long long*)((char*)dynamic + 2048 + 8 * t);
__syncthreads();
own[6] = *(unsigned*)((char*)dynamic + 1024) - old > 0;
)";
  std::string text = body;
  text.insert(text.find("asm volatile(\"st.shared"),
              "if (t == 0) *(unsigned*)((char*)dynamic + 1024) = 0;\n");
  const Words got = run(text, {0x01020304050607f8u, 0x1122334455667788u}, 8 * 32, 32);
  for (std::size_t t = 0; t < 32; ++t) {
    CAPTURE(t);
    CHECK(got[8 * t] == ((t ^ 1) * 3 << 32 | (t ^ 1) * 5));
    CHECK(got[8 * t + 1] == 0xfffffff8u);
    CHECK(got[8 * t + 2] == 0x1122334455667788u);
    CHECK(got[8 * t + 3] == low(0x050607f8 + 0x01020304 + 0x55667788 + 0x11223344));
    CHECK(got[8 * t + 4] == 77);
    CHECK(got[8 * t + 5] == 0x1122334455667788u);
    CHECK(got[8 * t + 6] == 1);
  }
  CHECK(got[7] == 32);
  CHECK(got[15] == 31);
}

TEST_CASE("Special registers, warp instructions and barriers with numbers") {
  const std::string body = R"(
unsigned lane, r, s, id;
asm("mov.u32 %0, %%laneid;" : "=r"(lane));
asm("mov.u32 %0, %%tid.x;" : "=r"(id));
unsigned long long* own = out + 10 * id;
asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
own[0] = lane; own[1] = r;
asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 3, 0x1f, 0xffffffff; selp.u32 %1, 1, 0, p; }"
             : "=r"(r), "=r"(s) : "r"(lane * 10));
own[2] = r; own[3] = s;
asm volatile("shfl.sync.idx.b32 %0, %1, 1, 0x1c03, -1;" : "=r"(r) : "r"(lane));
own[4] = r;
asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 20; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r) : "r"(lane));
own[5] = r;
asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(lane ^ 5));
own[6] = r;
asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(lane / 8));
own[7] = r;
__shared__ int value;
if (id < 32) { if (id == 0) value = 11; asm volatile("bar.arrive 3, 64;" ::: "memory"); }
else { asm volatile("bar.sync 3, 64;" ::: "memory"); }
own[8] = id < 32 ? 11 : value;
asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(id));
own[9] = r;
)";
  const Words got = run(body, {0}, 64 * 10, 64);
  for (std::size_t t = 0; t < 64; ++t) {
    CAPTURE(t);
    const std::uint64_t lane = t % 32;
    CHECK(got[10 * t] == lane);
    CHECK(got[10 * t + 1] == (1ull << lane) - 1);
    CHECK(got[10 * t + 2] == (lane + 3 < 32 ? lane + 3 : lane) * 10);
    CHECK(got[10 * t + 3] == (lane + 3 < 32 ? 1 : 0));
    CHECK(got[10 * t + 4] == lane / 4 * 4 + 1);
    CHECK(got[10 * t + 5] == 0xffe00000u);
    CHECK(got[10 * t + 6] == 31);
    CHECK(got[10 * t + 7] == 0xffull << (lane / 8 * 8));
    CHECK(got[10 * t + 8] == 11);
    CHECK(got[10 * t + 9] == 40);
  }
}

TEST_CASE("A warp multiplies matrices: mma.sync of every type, ldmatrix") {
  if (test::on_cuda() && test::device().properties().capability_major < 8) return;
  // Products of small integers are exact in every type.
  const std::string before = R"(
__device__ int a_of(int r, int k) { return (r * 3 + k * 5) % 7 - 3; }
__device__ int b_of(int k, int n) { return (k * 2 + n * 11) % 5 - 2; }
__device__ unsigned half_bits(int x) { unsigned short h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"((float)x)); return h; }
__device__ unsigned brain_bits(int x) { return __float_as_uint((float)x) >> 16; }
__device__ unsigned byte_bits(int x) { return x & 255; }
__device__ unsigned word_bits(int x) { return __float_as_uint((float)x); }
)";
  const auto product = [](const std::string& bits_of, int k, int pack, const std::string& name,
                          bool is_integer) {
    std::string text =
        "{ const int lane = threadIdx.x, g = lane / 4, t = lane % 4; unsigned a[4] = {}, b[2] = "
        "{};\n"
        "for (int r = 0; r < KREGS * 2; ++r) for (int e = 0; e < PACK; ++e)\n"
        "  a[r] |= BITS(a_of(g + 8 * (r & 1), t * PACK + e + (r >> 1) * 4 * PACK)) << (32 / PACK * "
        "e) * (PACK > 1);\n"
        "for (int r = 0; r < KREGS; ++r) for (int e = 0; e < PACK; ++e)\n"
        "  b[r] |= BITS(b_of(t * PACK + e + r * 4 * PACK, g)) << (32 / PACK * e) * (PACK > 1);\n"
        "TYPE d[4], c[4] = {1, 2, 3, 4};\n";
    text += k / (4 * pack) == 2
                ? "asm volatile(\"mma.sync.aligned." + name +
                      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\"\n"
                      ": \"=X\"(d[0]), \"=X\"(d[1]), \"=X\"(d[2]), \"=X\"(d[3]) : \"r\"(a[0]), "
                      "\"r\"(a[1]), \"r\"(a[2]), "
                      "\"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]), \"X\"(c[0]), \"X\"(c[1]), "
                      "\"X\"(c[2]), \"X\"(c[3]));\n"
                : "asm volatile(\"mma.sync.aligned." + name +
                      " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};\"\n"
                      ": \"=X\"(d[0]), \"=X\"(d[1]), \"=X\"(d[2]), \"=X\"(d[3]) : \"r\"(a[0]), "
                      "\"r\"(a[1]), "
                      "\"r\"(b[0]), \"X\"(c[0]), \"X\"(c[1]), \"X\"(c[2]), \"X\"(c[3]));\n";
    text +=
        "for (int k = 0; k < 4; ++k) out[(g + 8 * (k / 2)) * 8 + t * 2 + k % 2] = (long long)d[k] "
        "- k - 1; out += 128; }\n";
    const auto set = [&](const std::string& what, const std::string& by) {
      for (std::size_t at; (at = text.find(what)) != std::string::npos;)
        text.replace(at, what.size(), by);
    };
    set("KREGS", std::to_string(k / (4 * pack)));
    set("PACK", std::to_string(pack));
    set("BITS", bits_of);
    set("TYPE", is_integer ? "int" : "float");
    set("\"=X\"", is_integer ? "\"=r\"" : "\"=f\"");
    set("\"X\"", is_integer ? "\"r\"" : "\"f\"");
    return text;
  };
  const std::string body =
      product("half_bits", 16, 2, "m16n8k16.row.col.f32.f16.f16.f32", false) +
      product("half_bits", 8, 2, "m16n8k8.row.col.f32.f16.f16.f32", false) +
      product("brain_bits", 16, 2, "m16n8k16.row.col.f32.bf16.bf16.f32", false) +
      product("word_bits", 8, 1, "m16n8k8.row.col.f32.tf32.tf32.f32", false) +
      product("byte_bits", 32, 4, "m16n8k32.row.col.s32.s8.s8.s32", true) + R"(
{ const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  double a = a_of(g, t), b = b_of(t, g), c[2] = {1, 2}, d[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(d[0]), "=d"(d[1]) : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
  for (int k = 0; k < 2; ++k) out[g * 8 + t * 2 + k] = (long long)d[k] - k - 1;
  out += 64; }
{ __shared__ __align__(16) unsigned short rows[4 * 64];
  const int lane = threadIdx.x;
  for (int k = lane; k < 256; k += 32) rows[k] = k;
  __syncwarp();
  unsigned d[4], e[2], at = (unsigned)__cvta_generic_to_shared(rows + 8 * lane);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(e[0]), "=r"(e[1]) : "r"(at));
  for (int k = 0; k < 4; ++k) out[6 * lane + k] = d[k];
  out[6 * lane + 4] = e[0]; out[6 * lane + 5] = e[1]; }
)";
  const Words got = run(body, {0}, 5 * 128 + 64 + 6 * 32, 32, before);
  const auto a_of = [](int r, int k) { return (r * 3 + k * 5) % 7 - 3; };
  const auto b_of = [](int k, int n) { return (k * 2 + n * 11) % 5 - 2; };
  const int depth[] = {16, 8, 16, 8, 32, 4};
  for (int kind = 0; kind < 6; ++kind)
    for (int r = 0; r < (kind == 5 ? 8 : 16); ++r)
      for (int n = 0; n < 8; ++n) {
        int sum = 0;
        for (int k = 0; k < depth[kind]; ++k) sum += a_of(r, k) * b_of(k, n);
        CAPTURE(kind, r, n);
        CHECK(static_cast<std::int64_t>(got[static_cast<std::size_t>(kind * 128 + r * 8 + n)]) ==
              sum);
      }
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t* const row = got.data() + 5 * 128 + 64 + 6 * lane;
    const std::uint64_t r = lane / 4, c = lane % 4 * 2;
    for (std::uint64_t k = 0; k < 4; ++k)
      CHECK(row[k] == ((64 * k + 8 * r + c) | (64 * k + 8 * r + c + 1) << 16));
    CHECK(row[4] == ((8 * c + r) | (8 * (c + 1) + r) << 16));
    CHECK(row[5] == ((64 + 8 * c + r) | (64 + 8 * (c + 1) + r) << 16));
  }
}

TEST_CASE("PTX in macros, in branches without braces and next to comments") {
  const std::string before = R"(
#define LANE(x) asm volatile( \
    "mov.u32 %0, %%laneid;" /* a comment */ \
    : "=r"(x))
)";
  const std::string body = R"text(
unsigned x = 5;  // asm volatile("nonsense"
const char* text = "asm volatile(\"nonsense\")";
if (threadIdx.x == 3) LANE(x); else asm("mov.u32 %0, 7;" : "=r"(x));
out[threadIdx.x] = x + (text[0] - 'a') + __LINE__ - 11;
)text";
  CHECK(run(body, {0}, 5, 5, before) == Words{7, 7, 7, 3, 7});
}

TEST_CASE("PTX that the host lacks is named") {
  if (test::on_cuda()) return;
  const auto refusal = [](const std::string& text) {
    return test::error_text<UnsupportedError>([&] { run(text, {0}, 1); });
  };
  CHECK(refusal("asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");") ==
        "needs cuda: the PTX instruction 'wgmma.fence.sync.aligned' is not on the host device");
  // In code that is not compiled it is ignored.
  CHECK(run("#ifdef NEVER\nasm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n#else\n"
            "out[0] = 5;\n#endif",
            {0}, 1) == Words{5});
  CHECK(refusal("unsigned x; asm(\"mov.u32 %0, %%pm0.x;\" : \"=r\"(x)); out[0] = x;") ==
        "needs cuda: the special register '%pm0.x' is not on the host device");
}

TEST_CASE("CUDA features that the host lacks are named, with the available headers") {
  if (test::on_cuda()) return;
  const auto refusal = [](const std::string& before, const std::string& text) {
    return test::error_text<UnsupportedError>([&] { run(text, {0}, 1, 1, before); });
  };
  const std::string header = refusal("#include <cuda/annotated_ptr>", "");
  CHECK_THAT(header,
             Contains("needs cuda: the header <cuda/annotated_ptr> is not on the host device, "
                      "which has ") &&
                 Contains("cooperative_groups.h, ") && Contains("cuda/barrier, ") &&
                 Contains("mma.h, ") && !Contains("kernelbatch/"));
  CHECK(refusal("#include <curand_kernel.h>", "curandStateMtgp32 state; out[0] = sizeof state;") ==
        "needs cuda: 'curandStateMtgp32' is not on the host device");
  CHECK(refusal("", "cudaDeviceSynchronize();") ==
        "needs cuda: 'cudaDeviceSynchronize' is not on the host device");
  // The user's own names and files are ordinary errors.
  CHECK_THAT(test::error_text<CompileError>([&] { run("out[0] = no_such_name;", {0}, 1); }),
             Contains("no_such_name"));
  CHECK_THAT(test::error_text<CompileError>([&] { run("", {0}, 1, 1, "#include \"mine.h\""); }),
             Contains("mine.h"));
}

}  // namespace
}  // namespace kernelbatch
