// Warp matrix products (wmma) on the host device. A fragment's elements are spread over the warp's
// lanes, those of accumulators as GPUs from compute capability 8 on spread them; products are
// summed in float, double or int, one after another.
#pragma once

#include "cuda/std/type_traits"
#include "kernelbatch/lanes.hpp"
#if __has_include("cuda_fp16.h")
#include "cuda_fp16.h"
#endif
#if __has_include("cuda_bf16.h")
#include "cuda_bf16.h"
#endif

struct __half;
struct __nv_bfloat16;

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

namespace detail {

namespace lanes = kernelbatch::lanes;
using cuda::std::is_same_v;

template <class T>
using stored = cuda::std::conditional_t<is_same_v<T, precision::tf32>, float, T>;

/// The shape of a fragment, and which element each lane holds where.
template <class Use, int M, int N, int K, class T>
struct plan {
  static constexpr bool is_sum = is_same_v<Use, accumulator>;
  static constexpr int rows = is_same_v<Use, matrix_b> ? K : M;
  static constexpr int columns = is_same_v<Use, matrix_a> ? K : N;
  /// fp16 inputs are held twice.
  static constexpr int count = !is_sum && is_same_v<T, __half> ? 16 : rows * columns / 32;
  static int row(unsigned lane, int e) {
    if constexpr (!is_sum) return at(lane, e) / columns;
    return int(lane / 4) + (rows > 8 ? e / 2 % (rows / 8) * 8 : 0);
  }
  static int column(unsigned lane, int e) {
    if constexpr (!is_sum) return at(lane, e) % columns;
    return int(lane % 4) * 2 + e % 2 + e / (rows / 4) * 8;
  }
  static int at(unsigned lane, int e) { return int(lane * count + e) % (rows * columns); }
};

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static_assert((M == 16 && N == 16 && (K == 16 || K == 8)) || (M == 32 && N == 8 && K == 16) ||
                    (M == 8 && N == 32 && K == 16) || (M == 8 && N == 8 && K == 4),
                "a fragment of this shape is not on the host device");

 public:
  using element_type = T;
  using storage_element_type = detail::stored<T>;
  using _plan = detail::plan<Use, M, N, K, T>;
  static constexpr int num_elements = _plan::count;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

inline float __float_to_tf32(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return __builtin_bit_cast(float, (bits + 0x1000u) & 0xffffe000u);
}

namespace detail {
template <class F>
inline size_t offset(int e, unsigned ldm, bool is_row_major) {
  const size_t row = size_t(F::_plan::row(lanes::lane(), e));
  const size_t column = size_t(F::_plan::column(lanes::lane(), e));
  return is_row_major ? row * ldm + column : column * ldm + row;
}
template <class T>
inline auto number(const stored<T>& value) {
  if constexpr (is_same_v<T, precision::tf32>)
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & 0xffffe000u);
  else if constexpr (is_same_v<T, double>)
    return value;
  else if constexpr (cuda::std::is_integral_v<T>)
    return int(value);
  else
    return float(value);
}
/// All elements of an input, in rows, as numbers.
template <class T, class Number, class Use, int M, int N, int K, class Layout>
inline void collect(const fragment<Use, M, N, K, T, Layout>& from, Number* to) {
  using F = fragment<Use, M, N, K, T, Layout>;
  lanes::Row<F> row;
  lanes::gather(0xffffffffu, from, row);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (int e = 0; e < F::num_elements; ++e)
      to[F::_plan::row(lane, e) * F::_plan::columns + F::_plan::column(lane, e)] =
          number<T>(row[lane].x[e]);
}
}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout, class U>
inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& a, const U* from, unsigned ldm) {
  static_assert(!detail::is_same_v<Use, accumulator>, "an accumulator is loaded with its layout");
  __syncwarp();
  for (int e = 0; e < a.num_elements; ++e)
    a.x[e] = from[detail::offset<fragment<Use, M, N, K, T, Layout>>(
        e, ldm, detail::is_same_v<Layout, row_major>)];
}
template <int M, int N, int K, class T, class U>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& a, const U* from, unsigned ldm,
                             layout_t layout) {
  __syncwarp();
  for (int e = 0; e < a.num_elements; ++e)
    a.x[e] =
        from[detail::offset<fragment<accumulator, M, N, K, T>>(e, ldm, layout == mem_row_major)];
}
template <int M, int N, int K, class T, class U>
inline void store_matrix_sync(U* to, const fragment<accumulator, M, N, K, T>& a, unsigned ldm,
                              layout_t layout) {
  for (int e = 0; e < a.num_elements; ++e)
    to[detail::offset<fragment<accumulator, M, N, K, T>>(e, ldm, layout == mem_row_major)] = a.x[e];
  __syncwarp();
}
template <class Use, int M, int N, int K, class T, class Layout, class U>
inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& a, const U& value) {
  for (auto& element : a.x) element = detail::stored<T>(value);
}

template <int M, int N, int K, class D, class A, class B, class C, class LayoutA, class LayoutB>
inline void mma_sync(fragment<accumulator, M, N, K, D>& d,
                     const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                     const fragment<matrix_b, M, N, K, B, LayoutB>& b,
                     const fragment<accumulator, M, N, K, C>& c, bool is_saturating = false) {
  using Number = decltype(detail::number<A>(a.x[0]));
  using Sum = cuda::std::conditional_t<detail::is_same_v<Number, int>, long long, Number>;
  Number left[M * K], right[K * N];
  detail::collect<A>(a, left);
  detail::collect<B>(b, right);
  using Plan = detail::plan<accumulator, M, N, K, D>;
  for (int e = 0; e < d.num_elements; ++e) {
    const int row = Plan::row(detail::lanes::lane(), e);
    const int column = Plan::column(detail::lanes::lane(), e);
    Sum sum = Sum(detail::number<C>(c.x[e]));
    for (int k = 0; k < K; ++k) sum += Sum(left[row * K + k]) * Sum(right[k * N + column]);
    if constexpr (detail::is_same_v<Number, int>) {
      constexpr long long kMost = 2147483647;
      if (is_saturating) sum = sum > kMost ? kMost : sum < -kMost - 1 ? -kMost - 1 : sum;
      d.x[e] = int(sum);
    } else {
      d.x[e] = detail::stored<D>(sum);
    }
  }
}

}  // namespace wmma
}  // namespace nvcuda
