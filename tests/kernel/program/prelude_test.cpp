// The prelude's additions to CUDA's language, the same on every device.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

LaunchShape shape_of(Dim3 grid, Dim3 block, std::size_t shared = 0) {
  LaunchShape shape;
  shape.grid = grid;
  shape.block = block;
  shape.shared_bytes = shared;
  return shape;
}

/// Runs `void f(auto* out)` with one block and returns its output.
template <class T>
std::vector<T> written(const std::string& body, std::int64_t count, Dim3 block = {},
                       const std::string& before = "") {
  const JitKernel kernel{before + "\n__global__ void f(auto* out) {\n" + body + "\n}", "f"};
  const Array out = device_array(std::vector<T>(static_cast<std::size_t>(count), T{}));
  kernel(stream(), shape_of({}, block), out);
  return values_of<T>(out);
}

TEST_CASE("grid and gridsize count along one, two and three axes") {
  const JitKernel kernel{R"(
__global__ void f(auto out) {
  const auto [x, y, z] = kernelbatch::grid<3>();
  const auto size = kernelbatch::gridsize<3>();
  const auto flat = kernelbatch::grid<2>();
  const auto plane = kernelbatch::gridsize<2>();
  if (flat.x == x && flat.y == y && plane.x == size.x && plane.y == size.y &&
      kernelbatch::grid<1>() == x && kernelbatch::gridsize<1>() == size.x)
    out[(z * size.y + y) * size.x + x] += x + 10 * y + 100 * z;
})",
                         "f"};
  const Array out = device_array(std::vector<int>(6 * 4 * 4, 1));
  kernel(stream(), shape_of({2, 1, 2}, {3, 4, 2}), out);
  std::vector<int> want;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 6; ++x) want.push_back(1 + x + 10 * y + 100 * z);
  CHECK(values_of<int>(out) == want);
}

TEST_CASE("range shares elements over the grid, each once") {
  const JitKernel kernel{R"(
__global__ void f(int* out, long long n) {
  for (auto i : kernelbatch::range(n)) atomicAdd(&out[i], 1);
  for (auto i : kernelbatch::range(3, n, 5)) atomicAdd(&out[i], 10);
  for (auto i : kernelbatch::range(n - 1, -1, -4)) atomicAdd(&out[i], 100);
  for (auto i : kernelbatch::range(0)) atomicAdd(&out[i], 1000);
})",
                         "f"};
  for (const std::int64_t n : {1, 31, 32, 100, 1000}) {
    const Array out = device_array(std::vector<int>(static_cast<std::size_t>(n), 0));
    kernel(stream(), shape_of({3}, {32}), out, n);
    std::vector<int> want(static_cast<std::size_t>(n), 1);
    for (std::int64_t i = 3; i < n; i += 5) want[static_cast<std::size_t>(i)] += 10;
    for (std::int64_t i = n - 1; i >= 0; i -= 4) want[static_cast<std::size_t>(i)] += 100;
    CHECK(values_of<int>(out) == want);
  }
}

TEST_CASE("Shared memory is available by type, static and dynamic") {
  const JitKernel kernel{R"(
__global__ void reverse(int* out) {
  int* const fixed = kernelbatch::shared_array<int, 64>();
  double* const other = kernelbatch::shared_array<double, 64, 1>();
  long long* const dynamic = kernelbatch::dynamic_shared<long long>();
  for (auto i : kernelbatch::block_range(64)) {
    fixed[i] = int(i);
    other[i] = 0.5 * i;
    dynamic[i] = 2 * i;
  }
  __syncthreads();
  for (auto i : kernelbatch::block_range(64))
    out[i] = fixed[63 - i] + int(other[63 - i]) + int(dynamic[63 - i]);
})",
                         "reverse"};
  const Array out = device_array(std::vector<int>(64, 0));
  kernel(stream(), shape_of({1}, {8, 4}, 64 * 8), out);
  const std::vector<int> got = values_of<int>(out);
  for (int i = 0; i < 64; ++i)
    CHECK(got[static_cast<std::size_t>(i)] == 3 * (63 - i) + (63 - i) / 2);
}

/// An operator that is associative and does not commute: keeps its first and last element.
constexpr const char* kEnds = R"(
struct ends { int first, last, count; };
struct join {
  __device__ ends operator()(const ends& a, const ends& b) const {
    return {a.first, b.last, a.last + 1 == b.first ? a.count + b.count : -1000000};
  }
};)";

TEST_CASE("Reductions of warps and blocks keep the order, for any number of threads") {
  for (const unsigned threads : {1u, 2u, 31u, 32u, 33u, 64u, 100u, 1024u}) {
    CAPTURE(threads);
    const auto got = written<int>(
        R"(const int t = threadIdx.x;
           const ends all = kernelbatch::block_reduce(ends{t, t, 1}, join());
           const ends warp = kernelbatch::warp_reduce(ends{t, t, 1}, join());
           const int four = kernelbatch::warp_reduce<4>(t, kernelbatch::plus());
           out[5 * t] = all.first; out[5 * t + 1] = all.last; out[5 * t + 2] = all.count;
           out[5 * t + 3] = warp.count; out[5 * t + 4] = four;)",
        5 * threads, {threads}, kEnds);
    for (unsigned t = 0; t < threads; ++t) {
      const int* const g = got.data() + 5 * t;
      const unsigned in_warp = std::min(32u, threads - t / 32 * 32);
      int four = 0;
      for (unsigned k = t / 4 * 4; k < std::min(threads, t / 4 * 4 + 4); ++k)
        four += static_cast<int>(k);
      const std::vector<int> want{0, static_cast<int>(threads) - 1, static_cast<int>(threads),
                                  static_cast<int>(in_warp), four};
      REQUIRE(std::vector<int>(g, g + 5) == want);
    }
  }
}

TEST_CASE("Scans of warps and blocks keep the order, for any number of threads") {
  for (const unsigned threads : {1u, 31u, 32u, 33u, 100u, 1024u}) {
    CAPTURE(threads);
    const auto got = written<int>(
        R"(const int t = threadIdx.x;
           const ends in = kernelbatch::block_inclusive_scan(ends{t, t, 1}, join());
           const ends ex = kernelbatch::block_exclusive_scan(ends{t, t, 1}, join(), ends{-1, -1, 1});
           const ends w = kernelbatch::warp_inclusive_scan(ends{t, t, 1}, join());
           const int x = kernelbatch::warp_exclusive_scan<8>(1, kernelbatch::plus(), 100);
           out[6 * t] = in.last; out[6 * t + 1] = in.count; out[6 * t + 2] = ex.last;
           out[6 * t + 3] = ex.count; out[6 * t + 4] = w.count; out[6 * t + 5] = x;)",
        6 * threads, {threads}, kEnds);
    for (unsigned t = 0; t < threads; ++t) {
      const int k = static_cast<int>(t);
      const int* const g = got.data() + 6 * t;
      REQUIRE(std::vector<int>(g, g + 6) ==
              std::vector<int>{k, k + 1, k - 1, k + 1, k % 32 + 1, 100 + k % 8});
    }
  }
}

TEST_CASE("Lambdas and values of any size are combined, over blocks of any shape") {
  const auto got = written<double>(
      R"(struct five { double v[5]; };
         const int t = threadIdx.x + blockDim.x * threadIdx.y;
         five mine;
         for (int k = 0; k < 5; ++k) mine.v[k] = t + k;
         const five sum = kernelbatch::block_reduce(mine, [](const five& a, const five& b) {
           five r;
           for (int k = 0; k < 5; ++k) r.v[k] = a.v[k] + b.v[k];
           return r;
         });
         const unsigned char most = kernelbatch::block_reduce((unsigned char)t, kernelbatch::maximum());
         if (t == 47) { for (int k = 0; k < 5; ++k) out[k] = sum.v[k]; out[5] = most; })",
      6, {8, 6});
  CHECK(got == std::vector<double>{1128, 1176, 1224, 1272, 1320, 47});
}

template <class T>
void check_atomic(const std::string& type, const std::string& call, T before, T after) {
  CAPTURE(type, call);
  const JitKernel kernel{"__global__ void f(" + type + "* x) { x[1] = " + call + "; }", "f"};
  const Array x = device_array(std::vector<T>{before, before});
  kernel(stream(), shape_of({}, {}), x);
  CHECK(values_of<T>(x)[0] == after);
  CHECK(values_of<T>(x)[1] == before);
}

TEST_CASE("Atomics exist for every dtype that CUDA supports") {
  check_atomic<std::int64_t>("long long", "atomicAdd(x, -8ll)", 5, -3);
  check_atomic<std::int64_t>("long long", "atomicSub(x, 8ll)", 5, -3);
  check_atomic<std::int64_t>("long long", "atomicMin(x, -8ll)", 5, -8);
  check_atomic<std::int64_t>("long long", "atomicMax(x, -8ll)", 5, 5);
  check_atomic<std::int64_t>("long long", "atomicExch(x, -8ll)", 5, -8);
  check_atomic<std::int64_t>("long long", "atomicCAS(x, 5ll, -8ll)", 5, -8);
  check_atomic<std::uint64_t>("unsigned long long", "atomicSub(x, 8ull)", 9, 1);
  check_atomic<std::uint64_t>("unsigned long long", "atomicAnd(x, 8ull)", 9, 8);
  check_atomic<std::uint64_t>("unsigned long long", "atomicOr(x, 6ull)", 9, 15);
  check_atomic<std::uint64_t>("unsigned long long", "atomicXor(x, 1ull)", 9, 8);
  check_atomic<unsigned>("unsigned", "atomicInc(x, 9u)", 9, 0);
  check_atomic<unsigned>("unsigned", "atomicDec(x, 9u)", 0, 9);
  check_atomic<float>("float", "atomicAdd(x, 0.5f)", 1, 1.5f);
  check_atomic<float>("float", "atomicSub(x, 0.5f)", 1, 0.5f);
  check_atomic<float>("float", "atomicMin(x, -0.5f)", 1, -0.5f);
  check_atomic<float>("float", "atomicMax(x, -0.5f)", -1, -0.5f);
  check_atomic<float>("float", "atomicExch(x, -0.5f)", -1, -0.5f);
  check_atomic<float>("float", "atomicCAS(x, -1.0f, 2.0f)", -1, 2);
  check_atomic<double>("double", "atomicAdd(x, 0.5)", 1, 1.5);
  check_atomic<double>("double", "atomicSub(x, 0.5)", 1, 0.5);
  check_atomic<double>("double", "atomicMin(x, -1e300)", 1, -1e300);
  check_atomic<double>("double", "atomicMax(x, 1 + 1e-15)", 1, 1 + 1e-15);
  check_atomic<double>("double", "atomicMax(x, 0.0 / 0.0)", 1, 1);
  check_atomic<double>("double", "atomicExch(x, 2.0)", 1, 2);
  check_atomic<double>("double", "atomicCAS(x, 2.0, 3.0)", 1, 1);
}

TEST_CASE("Half precision has atomics that touch only their own 16 bits") {
  for (const char* type : {"float16", "bfloat16"}) {
    CAPTURE(type);
    const std::string t = type;
    const JitKernel kernel{
        "__global__ void f(" + t + "* x, float* old) {\n" + "old[0] = atomicAdd(x + 1, " + t +
            "(0.5f));\n" + "old[1] = atomicSub(x + 1, " + t + "(2.0f));\n" +
            "old[2] = atomicMin(x + 1, " + t + "(-4.0f));\n" + "old[3] = atomicMax(x + 1, " + t +
            "(8.0f));\n" + "old[4] = atomicExch(x + 1, " + t + "(16.0f));\n" +
            "old[5] = atomicCAS(x + 1, " + t + "(16.0f), " + t + "(32.0f));\n}",
        "f"};
    const bool is_half = t == "float16";
    const Array x =
        Array::on_device(test::device(), is_half ? DType::kFloat16 : DType::kBFloat16, {4});
    const Array host = Array::on_host(x.dtype(), {4});
    auto* bits = reinterpret_cast<std::uint16_t*>(host.data());
    const auto encode = [&](float v) {
      return is_half ? from_float<Float16>(v).bits : from_float<BFloat16>(v).bits;
    };
    for (int k = 0; k < 4; ++k) bits[k] = encode(1);
    copy(host, x, stream());
    const Array old = device_array(std::vector<float>(6, 0));
    kernel(stream(), shape_of({}, {}), x, old);
    CHECK(values_of<float>(old) == std::vector<float>{1, 1.5f, -0.5f, -4, 8, 16});
    const Array back = to_host(x, stream());
    bits = reinterpret_cast<std::uint16_t*>(back.data());
    CHECK(bits[0] == encode(1));
    CHECK(bits[1] == encode(32));
    CHECK(bits[2] == encode(1));
  }
}

TEST_CASE("Atomics of many threads lose nothing") {
  const JitKernel kernel{R"(
__global__ void f(double* most, double* least, long long* sum, float16* half) {
  for (auto i : kernelbatch::range(10000)) {
    atomicMax(most, double((i * 7919) % 10007));
    atomicMin(least, -double((i * 7919) % 10007));
    atomicAdd(sum, -(long long)i);
    if (i < 1000) atomicAdd(half, float16(1.0f));
  }
})",
                         "f"};
  const Array most = device_array<double>({-1});
  const Array least = device_array<double>({1});
  const Array sum = device_array<std::int64_t>({0});
  const Array half = Array::on_device(test::device(), DType::kFloat16, {1});
  copy(Array::of_memory(std::array<std::uint16_t, 1>{}.data(), DType::kFloat16, {1}), half,
       stream());
  kernel(stream(), shape_of({8}, {128}), most, least, sum, half);
  double want = 0;
  for (long long i = 0; i < 10000; ++i)
    want = std::max(want, static_cast<double>((i * 7919) % 10007));
  CHECK(values_of<double>(most)[0] == want);
  CHECK(values_of<double>(least)[0] == -want);
  CHECK(values_of<std::int64_t>(sum)[0] == -49995000);
  const Array back = to_host(half, stream());
  CHECK(*reinterpret_cast<std::uint16_t*>(back.data()) == from_float<Float16>(1000).bits);
}

constexpr const char* kGroups = R"(
__global__ void f(auto* out) {
  namespace cg = cooperative_groups;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const auto pair = cg::tiled_partition<2>(tile);
  const unsigned t = block.thread_rank();
  int* const o = out + 16 * t;
  o[0] = block.size();
  o[1] = tile.thread_rank();
  o[2] = tile.meta_group_rank();
  o[3] = tile.meta_group_size();
  o[4] = tile.shfl(int(t), 3);
  o[5] = tile.shfl_xor(int(t), 1);
  o[6] = tile.shfl_down(int(t), 1);
  o[7] = tile.shfl_up(int(t), 1);
  o[8] = tile.ballot(t % 2);
  o[9] = tile.any(t == 9) + 2 * tile.all(t < 8);
  o[10] = cg::reduce(tile, int(t), cg::plus<int>());
  o[11] = pair.thread_rank() + 2 * pair.size();
  tile.sync();
  o[12] = cg::reduce(pair, int(t), [](int a, int b) { return 100 * a + b; });
  o[13] = tile.match_any(int(t / 4));
  o[14] = block.group_index().x + block.thread_index().x;
  o[15] = block.dim_threads().x;
  cg::sync(block);
})";

/// CUDA's header combines each thread's own value with the other's, the prelude in the threads'
/// order.
void check_groups(const std::string& before) {
  const bool own_first = !before.empty();
  const JitKernel kernel{before + kGroups, "f"};
  const Array out = device_array(std::vector<int>(16 * 48, 0));
  kernel(stream(), shape_of({}, {48}), out);
  const std::vector<int> got = values_of<int>(out);
  for (int t = 0; t < 48; ++t) {
    const int first = t / 8 * 8;
    const int rank = t % 8;
    const int* const o = got.data() + 16 * t;
    CAPTURE(t);
    REQUIRE(std::vector<int>(o, o + 16) ==
            std::vector<int>{48, rank, t / 8, 6, first + 3, t ^ 1, rank == 7 ? t : t + 1,
                             rank == 0 ? t : t - 1, 0xaa, (t / 8 == 1 ? 1 : 0) + (t < 8 ? 2 : 0),
                             8 * first + 28, t % 2 + 4,
                             own_first ? 100 * t + (t ^ 1) : 100 * (t / 2 * 2) + t / 2 * 2 + 1,
                             rank < 4 ? 0x0f : 0xf0, t, 48});
  }
}

TEST_CASE("Cooperative groups work without CUDA's header") { check_groups(""); }

TEST_CASE("Texts that include CUDA's cooperative groups header also run on the host") {
  if (test::on_cuda()) {
    WARN("the GPU's machine need not have the toolkit's headers");
    return;
  }
  check_groups("#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n");
}

TEST_CASE("A cooperatively launched grid can synchronize") {
  const JitKernel kernel{R"(
__global__ void f(int* out, int* sums) {
  const auto grid = kernelbatch::this_grid();
  for (int round = 0; round < 10; ++round) {
    atomicAdd(&sums[round], int(grid.thread_rank()) + 1);
    grid.sync();
    out[grid.thread_rank() * 10 + round] = sums[round];
  }
  if (!grid.is_valid()) out[0] = -1;
})",
                         "f"};
  const std::int64_t blocks = 16;
  const std::int64_t threads = blocks * 64;
  const Array out = device_array(std::vector<int>(static_cast<std::size_t>(threads * 10), 0));
  const Array sums = device_array(std::vector<int>(10, 0));
  LaunchShape shape = shape_of({static_cast<std::uint32_t>(blocks)}, {64});
  shape.cooperative = true;
  kernel(stream(), shape, out, sums);
  const auto want = static_cast<int>(threads * (threads + 1) / 2);
  for (const int got : values_of<int>(out)) REQUIRE(got == want);
}

TEST_CASE("Integer intrinsics return CUDA's results") {
  const auto got = written<unsigned>(
      R"(out[0] = __byte_perm(0x03020100u, 0x07060504u, 0x6172);
         out[1] = __funnelshift_l(0x80000001u, 0x12345678u, 4);
         out[2] = __funnelshift_r(0x80000001u, 0x12345678u, 36);
         out[3] = __funnelshift_lc(0x80000001u, 0x12345678u, 40);
         out[4] = __funnelshift_rc(0x80000001u, 0x12345678u, 40);
         out[5] = __dp4a(0x7f80ff01, 0x02030405, 7);
         out[6] = __dp4a(0x7f80ff01u, 0x02030405u, 7u);
         out[7] = __dp2a_lo(0x7fff8000, 0x02030405, 7);
         out[8] = __dp2a_hi(0x7fff8000, 0x02030405, 7);
         out[9] = __popc(0xf0f0u) + 100 * __popcll(~0ull) + 10000 * __clz(1);
         out[10] = __clzll(1) + 100 * __ffs(8) + 10000 * __ffsll(1ll << 40);
         out[11] = __brev(1u) + unsigned(__brevll(1ull << 32) >> 31);
         out[12] = __sad(-5, 7, 1) + __usad(9u, 7u, 1u);
         out[13] = __umul24(0x01000003u, 5u);
         out[14] = __mul24(-3, 5);
         out[15] = __umulhi(0x80000000u, 6u);
         out[16] = __clz(0) + 100 * __clzll(0) + 10000 * __ffs(0);
         out[17] = __hadd(-3, 0) + 10 * __rhadd(3, 4);)",
      18);
  const std::vector<unsigned> want{0x06010702u,
                                   0x23456788u,
                                   0x88000000u,
                                   0x80000001u,
                                   0x12345678u,
                                   static_cast<unsigned>(1 * 5 - 1 * 4 - 128 * 3 + 127 * 2 + 7),
                                   1u * 5 + 255 * 4 + 128 * 3 + 127 * 2 + 7,
                                   static_cast<unsigned>(-32768 * 5 + 32767 * 4 + 7),
                                   static_cast<unsigned>(-32768 * 3 + 32767 * 2 + 7),
                                   8 + 6400 + 310000,
                                   63 + 400 + 410000,
                                   0x80000000u + 1u,
                                   13 + 3,
                                   15,
                                   static_cast<unsigned>(-15),
                                   3,
                                   32 + 6400,
                                   static_cast<unsigned>(-2 + 40)};
  for (std::size_t k = 0; k < want.size(); ++k) {
    CAPTURE(k);
    CHECK(got[k] == want[k]);
  }
}

TEST_CASE("sinpi and cospi are exact at multiples of a half") {
  const auto got = written<double>(
      R"(const double x[] = {0.5, 1, 1.5, -0.5, 3, 1e15 + 0.5, 0.25};
         for (int k = 0; k < 7; ++k) { out[k] = sinpi(x[k]); out[7 + k] = cospi(x[k]); }
         out[14] = sinpif(0.5f); out[15] = cospif(1.0f);)",
      16);
  const std::vector<double> want{1, 0,  -1, -1, 0,  1, std::sin(std::numbers::pi / 4),
                                 0, -1, 0,  0,  -1, 0, std::cos(std::numbers::pi / 4),
                                 1, -1};
  for (std::size_t k = 0; k < want.size(); ++k) {
    CAPTURE(k);
    CHECK(got[k] == Approx(want[k]).epsilon(1e-15).margin(0));
  }
}

TEST_CASE("Complex functions agree with the standard library") {
  using C = std::complex<double>;
  std::vector<C> values;
  for (const double re : {-3.0, -0.5, 0.0, 0.25, 2.0})
    for (const double im : {-2.0, -0.125, 0.0, 0.5, 3.0}) values.push_back({re, im});
  const ElementwiseKernel kernel{
      {.in = "complex128 z",
       .out =
           "complex128 a, complex128 b, complex128 c, complex128 d, complex128 e, complex128 f, "
           "complex128 g, complex128 h, float64 size, float64 angle, float64 square, complex128 l",
       .operation =
           "a = exp(z); b = log(z); c = sqrt(z); d = sin(z); e = cos(z); f = tanh(z);"
           "g = pow(z, complex<double>(1.5, -0.5)); h = conj(z) * z / (z + complex<double>(4));"
           "size = abs(z); angle = arg(z); square = norm(z); l = polar(1.5, 0.25) + pow(z, 3) + "
           "tan(z)",
       .name = "functions"}};
  const auto out = kernel(stream(), device_array(values));
  const auto close = [](C got, C want) {
    return std::abs(got - want) <= 4e-15 * std::max(1.0, std::abs(want));
  };
  std::vector<std::vector<C>> got;
  for (const std::size_t k : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 11u})
    got.push_back(values_of<C>(out[static_cast<std::size_t>(k)]));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const C z = values[k];
    CAPTURE(z);
    CHECK(close(got[0][k], std::exp(z)));
    if (z != C(0)) CHECK(close(got[1][k], std::log(z)));
    CHECK(close(got[2][k], std::sqrt(z)));
    CHECK(close(got[3][k], std::sin(z)));
    CHECK(close(got[4][k], std::cos(z)));
    CHECK(close(got[5][k], std::tanh(z)));
    CHECK(close(got[6][k], z == C(0) ? C(0) : std::pow(z, C(1.5, -0.5))));
    CHECK(close(got[7][k], std::conj(z) * z / (z + 4.0)));
    CHECK(close(got[8][k], std::polar(1.5, 0.25) + z * z * z + std::tan(z)));
    CHECK(values_of<double>(out[8])[k] == Approx(std::abs(z)).epsilon(1e-15));
    CHECK(values_of<double>(out[9])[k] == Approx(std::arg(z)).epsilon(1e-15));
    CHECK(values_of<double>(out[10])[k] == Approx(std::norm(z)).epsilon(1e-15));
  }
}

TEST_CASE("Complex functions are accurate for large and tiny values") {
  using C = std::complex<double>;
  const ElementwiseKernel kernel{{.in = "complex128 z",
                                  .out = "complex128 a, complex128 b",
                                  .operation = "a = tanh(z); b = sqrt(z)",
                                  .name = "limits"}};
  const std::vector<C> values{{1000, 1}, {-1000, 1}, {1e308, 1e308}, {0, 0}, {-4, -0.0}};
  const auto out = kernel(stream(), device_array(values));
  const auto a = values_of<C>(out[0]);
  const auto b = values_of<C>(out[1]);
  CHECK(a[0] == C(1, 0));
  CHECK(a[1] == C(-1, 0));
  CHECK(std::abs(b[2] - std::sqrt(values[2])) < 1e-15 * std::abs(b[2]));
  CHECK(b[3] == C(0, 0));
  CHECK(b[4] == C(0, -2));
}

}  // namespace
}  // namespace kernelbatch
