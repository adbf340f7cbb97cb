// Asked for by: __kernelbatch_ptx_wmma*.
// PTX's wmma: registers are the elements of a fragment of mma.h, whose order PTX leaves open.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "mma.h"

using __kernelbatch_ptx_wmma_f16 = __half;
using __kernelbatch_ptx_wmma_bf16 = __nv_bfloat16;
using __kernelbatch_ptx_wmma_tf32 = nvcuda::wmma::precision::tf32;
using __kernelbatch_ptx_wmma_f32 = float;
using __kernelbatch_ptx_wmma_f64 = double;
using __kernelbatch_ptx_wmma_s8 = signed char;
using __kernelbatch_ptx_wmma_u8 = unsigned char;
using __kernelbatch_ptx_wmma_s32 = int;

template <class Use, int M, int N, int K, class T>
struct __kernelbatch_ptx_wmma {
  using _row = nvcuda::wmma::fragment<Use, M, N, K, T, nvcuda::wmma::row_major>;
  using _column = nvcuda::wmma::fragment<Use, M, N, K, T, nvcuda::wmma::col_major>;
};
template <int M, int N, int K, class T>
struct __kernelbatch_ptx_wmma<nvcuda::wmma::accumulator, M, N, K, T> {
  using _row = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, T>;
  using _column = _row;
};

/// Bytes of an element in a register, which has one or several.
template <class F>
inline constexpr int __kernelbatch_ptx_wmma_bytes = sizeof(typename F::storage_element_type) < 4
                                                        ? 4
                                                        : sizeof(typename F::storage_element_type);
template <class F>
inline F __kernelbatch_ptx_wmma_from(const unsigned long long* registers) {
  F fragment;
  constexpr int kBytes = __kernelbatch_ptx_wmma_bytes<F>;
  for (unsigned k = 0; k < sizeof fragment.x / kBytes; ++k)
    memcpy(reinterpret_cast<char*>(fragment.x) + k * kBytes, &registers[k], kBytes);
  return fragment;
}
template <class F>
inline void __kernelbatch_ptx_wmma_to(unsigned long long* registers, const F& fragment) {
  constexpr int kBytes = __kernelbatch_ptx_wmma_bytes<F>;
  for (unsigned k = 0; k < sizeof fragment.x / kBytes; ++k) {
    registers[k] = 0;
    memcpy(&registers[k], reinterpret_cast<const char*>(fragment.x) + k * kBytes, kBytes);
  }
}

/// The layout is that of memory; a stride of 0 is the length of a row or column.
template <class Use, int M, int N, int K, class T, bool IsRow>
inline void __kernelbatch_ptx_wmma_load(unsigned long long* d, const char* from, unsigned stride) {
  using Fragments = __kernelbatch_ptx_wmma<Use, M, N, K, T>;
  using F = cuda::std::conditional_t<IsRow, typename Fragments::_row,
                                                typename Fragments::_column>;
  using Element = typename F::storage_element_type;
  const auto* const elements = reinterpret_cast<const Element*>(from);
  if (stride == 0) stride = IsRow ? F::_plan::columns : F::_plan::rows;
  F fragment;
  if constexpr (F::_plan::is_sum)
    load_matrix_sync(fragment, elements, stride,
                     IsRow ? nvcuda::wmma::mem_row_major : nvcuda::wmma::mem_col_major);
  else
    load_matrix_sync(fragment, elements, stride);
  __kernelbatch_ptx_wmma_to(d, fragment);
}
template <int M, int N, int K, class T, bool IsRow>
inline void __kernelbatch_ptx_wmma_store(char* to, const unsigned long long* d, unsigned stride) {
  using F = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, T>;
  if (stride == 0) stride = IsRow ? N : M;
  store_matrix_sync(reinterpret_cast<T*>(to), __kernelbatch_ptx_wmma_from<F>(d), stride,
                    IsRow ? nvcuda::wmma::mem_row_major : nvcuda::wmma::mem_col_major);
}
template <int M, int N, int K, class D, class A, class B, class C>
inline void __kernelbatch_ptx_wmma_mma(unsigned long long* d, const unsigned long long* a,
                                       const unsigned long long* b, const unsigned long long* c,
                                       bool is_saturating) {
  using namespace nvcuda::wmma;
  fragment<accumulator, M, N, K, D> result;
  mma_sync(result,
           __kernelbatch_ptx_wmma_from<typename __kernelbatch_ptx_wmma<matrix_a, M, N, K, A>::_row>(a),
           __kernelbatch_ptx_wmma_from<typename __kernelbatch_ptx_wmma<matrix_b, M, N, K, B>::_row>(b),
           __kernelbatch_ptx_wmma_from<fragment<accumulator, M, N, K, C>>(c), is_saturating);
  __kernelbatch_ptx_wmma_to(d, result);
}
