// Kernels that use libcu++, thrust's small types, cuRAND, wmma and CUDA's own headers.
#pragma once

#include "tests/device/libraries/texts.hpp"

namespace kernelbatch::test {

inline std::string standard_text() {
  return library_text(R"(#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>
#include <thrust/complex.h>
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/swap.h>
#include <thrust/tuple.h>
)",
                      R"(
namespace cs = cuda::std;
static_assert(cs::is_same_v<cs::common_type_t<int, double>, double>);
static_assert(cs::numeric_limits<int>::max() == 2147483647 &&
              cs::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(cs::numeric_limits<cs::uint64_t>::max() == ~cs::uint64_t(0));
static_assert(cs::is_floating_point_v<float> && !cs::is_signed_v<unsigned>);
template <class T, cs::enable_if_t<cs::is_integral_v<T>, int> = 0>
__device__ int kind(T) {
  return 1;
}
template <class T, cs::enable_if_t<cs::is_floating_point_v<T>, int> = 0>
__device__ int kind(T) {
  return 2;
}
__device__ cs::pair<int, float> both(int t) { return {t, t / 2.0f}; }
)",
                      R"(
  cs::array<int, 4> a{1, 2, 3, t};
  put(0, cs::accumulate(a.begin(), a.end(), 0) + 100 * a.size() + a.back());
  auto [q, r] = both(t);
  put(1, q + r);
  cs::tuple<int, double> pair = cs::make_tuple(t, 0.25);
  int first;
  double second;
  cs::tie(first, second) = pair;
  put(2, cs::get<0>(pair) + second + first);
  cs::optional<int> maybe;
  if (t % 2) maybe = t;
  put(3, maybe.value_or(-1) + (maybe.has_value() ? 1000 : 0));
  cs::span<const int> view(in, 128);
  put(4, view[t] + view.subspan(3).size());
  put(5, cs::popcount(unsigned(t)) + 10 * cs::countl_zero(unsigned(t)) +
             cs::bit_cast<int>(1.0f) / 1000);
  put(6, cs::gcd(t, 12) + 100 * cs::lcm(4, 6));
  put(7, cs::max(t, 50) + 1000 * cs::min(t, 50) + 1000000 * kind(t) + kind(1.0f));
  put(8, cs::sqrt(double(t)) + cs::abs(-3) + cs::fmax(1.0, 2.0));
  cs::complex<double> z(1, t);
  z = z * z + 2.0 * z / cs::complex<double>(0, 1) - 1.0;
  put(9, z.real());
  put(10, z.imag());
  put(11, cs::abs(cs::exp(cs::complex<double>(0.5, 1.0))) + cs::arg(cs::complex<double>(0, 2)));
  thrust::complex<double> w(0.25 * t, 1);
  w = thrust::exp(thrust::log(w)) * 2.0 + thrust::conj(w) + 1.0;
  put(12, w.real());
  put(13, w.imag());
  w = thrust::sqrt(thrust::complex<double>(-4.0, 0.0)) + thrust::pow(thrust::complex<double>(0, 1), 2.0);
  put(14, w.imag() + thrust::norm(thrust::complex<double>(3, 4)));
  w = thrust::sin(thrust::asin(thrust::complex<double>(0.5, 0.25))) +
      thrust::cosh(thrust::acosh(thrust::complex<double>(1.5, 0.5))) +
      thrust::tan(thrust::atan(thrust::complex<double>(0.5, 2.0)));
  put(15, w.real());
  put(16, w.imag());
  thrust::tuple<int, float> held = thrust::make_tuple(t, 2.0f);
  thrust::pair<int, int> two = thrust::make_pair(t, 2 * t);
  thrust::swap(two.first, two.second);
  put(17, thrust::get<0>(held) + two.first + thrust::plus<int>()(1, 2) +
              thrust::maximum<int>()(3, t));
  put(18, cuda::ceil_div(t, 7) + cuda::maximum<>()(1, 2) + cs::plus<>()(1, 2.5));
  int place = 0;
  NV_IF_TARGET(NV_IS_DEVICE, (place = 1;), (place = 2;))
  NV_IF_ELSE_TARGET(NV_IS_HOST, (place += 10;), (place += 20;))
  put(19, place);
  cs::int64_t big = cs::numeric_limits<cs::int64_t>::max();
  put(20, double(big >> 32) + (cs::isnan(cs::numeric_limits<double>::quiet_NaN()) ? 0.5 : 0));
)");
}

inline std::string curand_text() {
  return library_text("#include <curand_kernel.h>\n", R"(
template <class State>
__device__ void draw(const Rows<double>& put, int row) {
  State state;
  curand_init(1234, threadIdx.x, 3, &state);
  for (int k = 0; k < 3; ++k) put(row + k, curand(&state));
  put(row + 3, curand_uniform(&state));
  put(row + 4, curand_uniform_double(&state));
  skipahead(1000003, &state);
  skipahead_sequence(5, &state);
  put(row + 5, curand(&state));
  put(row + 6, curand_normal(&state));
  put(row + 7, curand_normal(&state));
  put(row + 8, curand_normal_double(&state));
  put(row + 9, curand_log_normal(&state, 0.5f, 0.25f));
  put(row + 10, curand_poisson(&state, 5.0));
  put(row + 11, curand(&state));
}
)",
                      R"(
  draw<curandState>(put, 0);
  draw<curandStatePhilox4_32_10_t>(put, 12);
  draw<curandStateMRG32k3a>(put, 24);
  curandStatePhilox4_32_10_t state;
  curand_init(99, t, 0, &state);
  const uint4 four = curand4(&state);
  put(36, four.x + double(four.w));
  put(37, curand_uniform4(&state).z);
  put(38, curand_normal4(&state).w);
  put(39, curand_uniform2_double(&state).y);
)");
}

inline std::string mma_text() {
  return library_text("#include <cuda_fp16.h>\n#include <mma.h>\n", R"(
using namespace nvcuda;
)",
                      R"(
  __shared__ __half a[256], b[256];
  __shared__ float c[256], wide[2][128];
  __shared__ signed char small[2][512];
  __shared__ int sums[256];
  __shared__ double exact[3][64];
  for (int k = t; k < 256; k += 128) {
    a[k] = __float2half(float(in[k] % 7 - 3));
    b[k] = __float2half(float(in[k + 256] % 5 - 2));
    c[k] = in[k];
    sums[k] = in[k];
    if (k < 128) {
      wide[0][k] = in[k] % 9 - 4;
      wide[1][k] = in[k + 128] % 9 - 4;
    }
    if (k < 64) {
      exact[2][k] = in[k];
      if (k < 32) exact[0][k] = in[k + 7], exact[1][k] = in[k + 9];
    }
  }
  for (int k = t; k < 512; k += 128) {
    small[0][k] = in[k] - 48;
    small[1][k] = in[k + 1] - 48;
  }
  __syncthreads();
  if (t < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    for (int k = 0; k < sum.num_elements; ++k) sum.x[k] *= 0.5f;
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> tall;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> thin;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> counts;
    wmma::fill_fragment(counts, 3);
    wmma::load_matrix_sync(tall, small[0], 16);
    wmma::load_matrix_sync(thin, small[1], 8);
    wmma::mma_sync(counts, tall, thin, counts);
    wmma::store_matrix_sync(sums, counts, 8, wmma::mem_row_major);
  } else if (t < 64) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum, twice;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, wide[0], 8);
    wmma::load_matrix_sync(right, wide[1], 16);
    for (int k = 0; k < left.num_elements; ++k)
      left.x[k] = wmma::__float_to_tf32(left.x[k]);
    wmma::mma_sync(sum, left, right, sum);
    wmma::mma_sync(twice, left, right, sum);
    __shared__ float results[256];
    wmma::store_matrix_sync(results, twice, 16, wmma::mem_row_major);
    __syncwarp();
    put(2, results[8 * (t - 32) + 3]);
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> d_left;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> d_right;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> d_sum;
    wmma::load_matrix_sync(d_left, exact[0], 4);
    wmma::load_matrix_sync(d_right, exact[1], 4);
    wmma::load_matrix_sync(d_sum, exact[2], 8, wmma::mem_row_major);
    wmma::mma_sync(d_sum, d_left, d_right, d_sum);
    wmma::store_matrix_sync(exact[2], d_sum, 8, wmma::mem_row_major);
  }
  __syncthreads();
  put(0, c[t] + 1000 * c[t + 128]);
  put(1, sums[t] + 100000.0 * sums[t + 128]);
  put(3, exact[2][t / 2]);
)");
}

/// Headers without new content for a kernel.
inline std::string plain_text() {
  return library_text(R"(#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <cuComplex.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <device_functions.h>
#include <sm_30_intrinsics.h>
#include <sm_61_intrinsics.h>
)",
                      "",
                      R"(
  const cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, t), make_cuDoubleComplex(2, 3));
  put(0, z.x + 1000 * z.y);
  const cuDoubleComplex w = cuCdiv(z, make_cuDoubleComplex(2, 3));
  put(1, w.x + 1000 * w.y + cuCabs(make_cuDoubleComplex(3, 4)));
)");
}

}  // namespace kernelbatch::test
