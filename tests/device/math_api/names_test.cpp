// Names and headers that kernels use besides the Math API's functions, on every device.
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {
namespace {

std::vector<double> run(const std::string& text, std::size_t count, unsigned threads = 1) {
  const LoadedKernel kernel(text, "f");
  const Array out = device_array(std::vector<double>(count, 0));
  kernel.run(grid_of(1, threads), out);
  return values_of<double>(out);
}

/// Checks that the text compiles for a GPU as well, if its compiler is available.
void check_gpu(const std::string& text) {
  std::unique_ptr<Compiler> gpu;
  try {
    gpu = make_compiler("sm_90");
  } catch (const DeviceError&) {
    return;
  }
  try {
    gpu->compile(raw_source(text, {"f"}));
  } catch (const CompileError& error) {
    FAIL_CHECK(error.what());
  }
}

TEST_CASE("Constants and types need no header") {
  const std::string text = R"(
extern "C" __global__ void f(double* o) {
  const uint32_t a = UINT32_MAX;
  const int8_t b = INT8_MIN;
  const uchar c = UCHAR_MAX;
  const ushort d = 2;
  const ulong e = ULONG_MAX;
  const uint g = UINT_MAX;
  const intptr_t h = 5;
  o[0] = FLT_MAX; o[1] = FLT_EPSILON; o[2] = DBL_MAX; o[3] = DBL_MIN; o[4] = INT_MAX; o[5] = INT_MIN;
  o[6] = LLONG_MAX; o[7] = M_PI; o[8] = M_SQRT1_2; o[9] = CUDART_LN2; o[10] = CUDART_PIO2_F;
  o[11] = a; o[12] = b; o[13] = c + d + h; o[14] = e; o[15] = g; o[16] = isinf(INFINITY) + isnan(NAN);
  o[17] = CUDART_TWO_TO_52; o[18] = CHAR_BIT; o[19] = __CUDA_ARCH__ >= 700;
})";
  check_gpu(text);
  const std::vector<double> want{3.4028234663852886e38,
                                 0x1p-23,
                                 1.7976931348623157e308,
                                 0x1p-1022,
                                 2147483647,
                                 -2147483648.0,
                                 0x1p63,
                                 std::numbers::pi,
                                 std::sqrt(0.5),
                                 std::numbers::ln2,
                                 double{1.57079632679489661923f},
                                 4294967295.0,
                                 -128,
                                 262,
                                 0x1p64,
                                 4294967295.0,
                                 2,
                                 0x1p52,
                                 8,
                                 1};
  CHECK(run(text, 20) == want);
}

TEST_CASE("std's type traits and NULL need no header") {
  const std::string text = R"(
template <class T> __device__ int bits_of(T) {
  if (std::is_same<T, half>::value) return 16;
  return std::is_floating_point<T>::value ? 32 : 8;
}
extern "C" __global__ void f(double* o) {
  const double* none = NULL;
  o[0] = bits_of(half(1)) + bits_of(1.0f) + bits_of(true) + (none == NULL);
})";
  check_gpu(text);
  CHECK(run(text, 1)[0] == 57);
}

TEST_CASE("A text's own declarations of these names take precedence") {
  const std::string text = R"(
#define FLT_MAX 3.0f
typedef unsigned char uchar;
struct half { float value; };
__device__ const double M_PI = 3.25;
__device__ float norm(float x, float y) { return x + y; }
extern "C" __global__ void f(double* o) {
  const half x{2.5f};
  double y0 = 1, j1 = 2, nan = 3, clock = 4;
  o[0] = FLT_MAX + M_PI + x.value + norm(1, 2) + y0 + j1 + nan + clock;
})";
  check_gpu(text);
  CHECK(run(text, 1)[0] == 3 + 3.25 + 2.5 + 3 + 10);
}

TEST_CASE("C and C++ headers exist on every device") {
  const std::string text = R"(
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <new>
#include <numbers>
#include <tuple>
#include <type_traits>
#include <utility>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <math_constants.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
template <class T>
__device__ T sum_of(std::initializer_list<T> list) {
  T sum = 0;
  for (const T x : list) sum += x;
  return sum;
}
static_assert(std::is_same_v<std::decay_t<const int (&)[3]>, const int*> && std::is_integral_v<unsigned>);
static_assert(!std::is_signed_v<unsigned> && std::is_convertible_v<int, double> && std::is_invocable_v<std::plus<>, int, int>);
static_assert(std::numeric_limits<int>::max() == INT_MAX && std::numeric_limits<float>::has_infinity);
static_assert(std::is_same_v<std::common_type_t<int, double>, double> && std::is_base_of_v<std::true_type, std::is_enum<std::byte>>);
static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned> && std::tuple_size_v<std::array<int, 3>> == 3);
extern "C" __global__ void f(double* o) {
  const std::uint32_t u = 7;
  const std::int64_t w = INT64_MAX;
  o[0] = std::sqrt(2.25) + std::sqrt(4.0f) + std::sqrt(16) + std::pow(2.0, 3.0) + std::lround(2.5) + std::abs(-3) + u + (w > 0);
  o[1] = std::numeric_limits<float>::max() == FLT_MAX && isinf(std::numeric_limits<double>::infinity()) && isnan(std::numeric_limits<float>::quiet_NaN());
  std::array<int, 3> a{3, 1, 2};
  std::tuple<int, double> t{1, 2.5};
  auto [p, q] = t;
  const auto pair = std::make_pair(1, 2.0f);
  o[2] = a[0] + a.size() + p + q + std::get<1>(t) + pair.second + std::max(1, 2) + std::min(3.0, 2.0) + std::clamp(5, 1, 3);
  std::sort(a.begin(), a.end());
  std::swap(a[0], a[2]);
  o[3] = a[0] + 10 * a[1] + 100 * a[2] + std::plus<int>()(1, 2) + std::plus<>()(1, 2.5) + sum_of({1.0, 2.0});
  alignas(8) unsigned char raw[16];
  const double* d = new (raw) double(3.5);
  o[4] = *d + std::popcount(7u) + (std::bit_cast<int>(1.0f) == 0x3f800000) + (std::numbers::pi_v<float> == CUDART_PI_F);
  char s[8];
  std::strcpy(s, "abc");
  o[5] = std::strlen(s) + std::memcmp(s, "abd", 3) + CHAR_BIT + sizeof(std::size_t) + offsetof(float2, y);
  auto [x, y] = std::pair(1, 2);
  o[6] = x + y + std::apply([](int m, double n) { return m + n; }, t) + std::exchange(p, 4);
  std::tie(p, q) = std::make_tuple(3, 4.0);
  o[7] = p + q + std::floor(2.5f) + std::fmax(1.0f, 2.0f) + (std::lower_bound(a.begin(), a.end(), 9) - a.begin());
  assert(o[7] > 0);
})";
  check_gpu(text);
  const std::vector<double> got = run(text, 8);
  CHECK(got == std::vector<double>{1.5 + 2 + 4 + 8 + 3 + 3 + 7 + 1, 1,
                                   3 + 3 + 1 + 2.5 + 2.5 + 2 + 2 + 2 + 3,
                                   3 + 20 + 100 + 3 + 3.5 + 3, 3.5 + 3 + 1 + 1, 3 - 1 + 8 + 8 + 4,
                                   3 + 3.5 + 1, 3 + 4 + 2 + 2 + 3});
}

TEST_CASE("A text with other C++ headers gets the host compiler's own") {
  if (on_cuda()) return;
  const std::string text = R"(
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>
extern "C" __global__ void f(double* o) {
  const std::vector<std::uint32_t> v(3, 2u);
  o[0] = std::sqrt(4.0) + sqrtf(9.0f) + v[1] + std::complex<double>(0, 2).imag() + lround(2.5) + __expf(0) +
         fmaxf(1, 2) + cbrt(27.0) + j0(0);
})";
  CHECK(run(text, 1)[0] == 2 + 3 + 2 + 2 + 3 + 1 + 2 + 3 + 1);
}

TEST_CASE("Half types need no header, and work as operands") {
  const std::string text = R"(
extern "C" __global__ void f(double* o) {
  half x = __float2half(1.5f);
  half2 y = __half2half2(x);
  __nv_bfloat16 z = __float2bfloat16(2.0f);
  nv_bfloat162 v(z, z);
  x += half(0.5f);
  y = y * y + y;
  v = __hfma2(v, v, v);
  o[0] = float(x); o[1] = __low2float(y); o[2] = __high2float(v); o[3] = float(z / __nv_bfloat16(4));
  o[4] = x > half(1) && z == __nv_bfloat16(2.0f) && !(y < y);
  o[5] = int(half(-2.75f)); o[6] = float(half(100000)); o[7] = float(__nv_fp8_e4m3(1000.0f));
  o[8] = float(hexp(half(1))); o[9] = float(__hmax(half(-0.0f), half(0.0f)));
  half2 w = __half2half2(half(threadIdx.x));
  w = __hadd2(w, __shfl_xor_sync(0xffffffffu, w, 1));
  __shared__ half2 sum;
  if (threadIdx.x == 0) sum = __half2half2(half(0));
  __syncthreads();
  atomicAdd(&sum, w);
  __syncthreads();
  o[10] = __low2float(sum); o[11] = __half2float(sum.y);
  o[12] = float(float16(x)) + float(half(float16(0.25f)));
})";
  check_gpu(text);
  const std::vector<double> got = run(text, 13, 32);
  const std::vector<double> want{2, 3.75, 6, 0.5, 1, -2, INFINITY, 448, 2.71875, 0, 992, 992, 2.25};
  CHECK(got == want);
}

TEST_CASE("Cache operators, address spaces, scopes and clocks") {
  const std::string text = R"(
__device__ double global_value = 3;
struct alignas(16) wide { unsigned long long low, high; };
extern "C" __global__ void f(double* o) {
  __shared__ int shared[4];
  __shared__ float4 four;
  __shared__ wide both;
  int local = 2;
  shared[0] = 1; shared[1] = 0; shared[2] = 0;
  four = make_float4(0, 1, 2, 3);
  both = {1, 2};
  float2 pair = make_float2(1, 2);
  __stcg(&o[0], 1.5); __stwb(&o[1], 2.5); __stcs(&o[2], 3.5); __stwt(&o[3], 4.5);
  o[4] = __ldcg(&o[0]) + __ldca(&o[1]) + __ldcs(&o[2]) + __ldcv(&o[3]);
  o[5] = __isGlobal(&global_value) + 10 * __isShared(shared) + 100 * __isLocal(&local) + 1000 * __isGlobal(shared);
  o[6] = *static_cast<int*>(__cvta_shared_to_generic(__cvta_generic_to_shared(shared)));
  atomicAdd_system(&shared[1], 5); atomicMax_block(&shared[1], 7); atomicCAS_block(&shared[2], 0, 9);
  o[7] = shared[1] + shared[2];
  o[8] = clock64() != 0 || clock() != 0;
  int all = 0;
  o[9] = __match_all_sync(1u, 3, &all) + 10 * all + 100 * (__activemask() & 1);
  o[10] = __fns(0xf0f0u, 5, 2) + 100 * __uni_sync(1u, 1);
  o[11] = four.w + pair.y + make_longlong1(3).x + make_ulong2(1, 2).y + sizeof(long4_32a) + alignof(double4_16a);
  __nanosleep(10); __prof_trigger(1); __threadfence_system();
  __builtin_assume(local > 0);
})";
  check_gpu(text);
  const std::vector<double> got = run(text, 12);
  CHECK(got == std::vector<double>{1.5, 2.5, 3.5, 4.5, 12, 111, 1, 16, 1, 111, 106,
                                   3 + 2 + 3 + 2 + 32 + 16});
}

TEST_CASE("Atomics of two and four floats and of 128 bits") {
  const std::string text = R"(
extern "C" __global__ void f(double* o) {
  float2* two = reinterpret_cast<float2*>(o);
  float4* four = reinterpret_cast<float4*>(o + 2);
  atomicAdd(two, make_float2(1, 2));
  atomicAdd(four, make_float4(1, 2, 3, 4));
  o[4] = two->x + 10 * two->y + 100 * four->z + 1000 * four->w;
  struct alignas(16) wide { unsigned long long low, high; };
  __shared__ wide word;
  word = {1, 2};
  const wide before = atomicExch(&word, wide{3, 4});
  const wide seen = atomicCAS(&word, wide{3, 4}, wide{5, 6});
  o[5] = before.low + 10 * before.high + 100 * seen.low + 1000 * word.high;
})";
  check_gpu(text);
  // Both in global memory; the exchange of 128 bits in shared memory.
  const LoadedKernel kernel(text, "f");
  const Array out = device_array(std::vector<double>(6, 0));
  kernel.run(grid_of(1, 1), out);
  const std::vector<double> got = values_of<double>(out);
  CHECK(got[4] == 1 + 20 + 300 + 4000);
  CHECK(got[5] == 1 + 20 + 300 + 6000);
}

TEST_CASE("std and cuda::std offer the same library") {
  const std::string text = R"(
struct Open { int a; };
struct Closed final { __device__ ~Closed() {} };
static_assert(ns::is_final_v<Closed> && !ns::is_trivially_destructible_v<Closed>);
static_assert(ns::is_aggregate_v<Open> && ns::is_copy_constructible_v<Open>);
static_assert(ns::is_assignable_v<int&, double> && !ns::is_assignable_v<int, double>);
static_assert(ns::numeric_limits<double>::is_iec559 && !ns::numeric_limits<int>::is_modulo);
static_assert(ns::numeric_limits<double>::max_exponent10 == 308 && ns::numeric_limits<float>::min_exponent10 == -37);
static_assert(ns::cmp_less(-1, 1u) && ns::cmp_greater_equal(2u, -5) && ns::endian::native == ns::endian::little);
extern "C" __global__ void f(double* o) {
  int a[6] = {4, 1, 3, 3, 9, 1}, b[6] = {}, c[12] = {};
  ns::sort(a, a + 6);
  o[0] = ns::count(a, a + 6, 3) + 10 * ns::count_if(a, a + 6, [](int x) { return x > 2; });
  o[1] = ns::unique(a, a + 6) - a;
  ns::rotate(a, a + 1, a + 4);
  o[2] = a[0] + 10 * a[3] + 100 * ns::none_of(a, a + 4, [](int x) { return x == 2; });
  ns::swap_ranges(a, a + 4, b);
  ns::sort(b, b + 4);
  o[3] = ns::is_sorted(b, b + 4) + 10 * ns::binary_search(b, b + 4, 9) + 100 * (ns::equal_range(b, b + 4, 3).second - b);
  o[4] = ns::merge(b, b + 4, b, b + 4, c) - c + 10 * c[7] + 100 * ns::equal(b, b + 1, c + 1);
  o[5] = ns::remove_if(c, c + 8, [](int x) { return x == 9; }) - c + 10 * (ns::partition_point(b, b + 4, [](int x) { return x < 4; }) - b);
  o[6] = ns::copy_if(b, b + 4, c, [](int x) { return x > 3; }) - c + 10 * ns::clamp(5, 1, 3, ns::less<>());
  const auto all = ns::tuple_cat(ns::make_tuple(1, 2.5), ns::make_tuple(3));
  ns::tuple<int, double> two(1, 2.5);
  o[7] = ns::get<2>(all) + 10 * (two == ns::make_tuple(1, 2.5)) + 100 * (ns::make_tuple(1, 2) < ns::make_tuple(1, 3)) + 1000 * ns::get<double>(two);
  ns::tie(ns::ignore, o[8]) = two;
  const ns::array<int, 3> x = ns::to_array({1, 2, 3}), y = ns::to_array({1, 2, 4});
  o[9] = (x < y) + 10 * *(y.cend() - 1) + 100 * ns::rotl(0x80000001u, 1) + ns::countr_one(7u) + ns::countl_one(~0u);
  int z = 7;
  auto r = ns::ref(z);
  o[10] = ns::not_fn([](int k) { return k == 1; })(2) + 10 * ns::logical_not<int>()(0) + 100 * ns::bit_not<int>()(-5) + r;
  o[11] = ns::lerp(1.0, 3.0, 0.25) + *ns::addressof(z) + ns::to_underlying(static_cast<ns::endian>(0));
  o[12] = (ns::pair<int, int>(1, 2) >= ns::make_pair(1, 1)) + 10 * ns::get<1>(ns::pair<long, double>(ns::make_pair(1, 2.0f)));
})";
  for (const std::string folder : {"", "cuda/std/"}) {
    std::string includes;
    for (const char* name : {"algorithm", "array", "bit", "cmath", "functional", "limits", "tuple",
                             "type_traits", "utility"})
      includes += "#include <" + folder + name + ">\n";
    const std::string whole =
        includes + (folder.empty() ? "namespace ns = std;" : "namespace ns = cuda::std;") + text;
    // The host has more of cuda/std than the toolkit's headers.
    if (folder.empty())
      check_gpu(whole);
    else if (device().properties().is_gpu)
      continue;
    CHECK(run(whole, 13) ==
          std::vector<double>{42, 4, 113, 211, 198, 26, 32, 2613, 2.5, 376, 418, 8.5, 21});
  }
}

}  // namespace
}  // namespace kernelbatch::test
