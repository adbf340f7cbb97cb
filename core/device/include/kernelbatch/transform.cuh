// transform: out[k] = f(x[k], y[k], …), and sums of f(x[k], y[k], …), at the speed of memory, for raw
// kernels that ask for it.
#pragma once

#include "kernelbatch/device.hpp"

#include "kernelbatch/collectives.hpp"

namespace kernelbatch {
namespace detail {

/// No generic lambda: NVRTC takes one in this header for a function of the host.
__device__ inline bool is_pack_aligned(const void* array) {
  return reinterpret_cast<unsigned long long>(array) % 16 == 0;
}

/// `Width` neighbours of an array, loaded and stored as one.
template <class T, int Width>
struct alignas(sizeof(T) * Width) transform_pack {
  T at[Width];
};

template <class T, int Width>
__device__ inline transform_pack<T, Width> load_pack(const T* array, long long pack) {
  return reinterpret_cast<const transform_pack<T, Width>*>(array)[pack];
}

template <class Out, int Width, class F, class... In>
__device__ inline transform_pack<Out, Width> map_pack(const F& f,
                                                      const transform_pack<In, Width>&... in) {
  transform_pack<Out, Width> out;
#pragma unroll
  for (int w = 0; w < Width; ++w) out.at[w] = f(in.at[w]...);
  return out;
}

/// Bytes of the largest of the types.
template <class T, class... Rest>
struct widest {
  static constexpr int kBytes =
      int(sizeof(T)) > widest<Rest...>::kBytes ? int(sizeof(T)) : widest<Rest...>::kBytes;
};
template <class T>
struct widest<T> {
  static constexpr int kBytes = sizeof(T);
};

}  // namespace detail

/// out[k] = f(in[k]…) for k in 0…n−1, by the whole grid of one axis: loads and stores of 16 bytes
/// where the arrays begin at a multiple of 16, four in flight in each thread.
template <class F, class Out, class... In>
__device__ inline void transform(long long n, Out* out, const F& f, const In*... in) {
  constexpr int kWidest = detail::widest<Out, In...>::kBytes;
  constexpr int kWidth = kWidest < 16 ? 16 / kWidest : 1;
  constexpr int kUnroll = 4;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long packs =
      detail::is_pack_aligned(out) && (detail::is_pack_aligned(in) && ...) ? n / kWidth : 0;
  auto* packs_out = reinterpret_cast<detail::transform_pack<Out, kWidth>*>(out);
  long long k = first;
  for (; k + (kUnroll - 1) * step < packs; k += kUnroll * step) {
    detail::transform_pack<Out, kWidth> results[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      results[u] = detail::map_pack<Out, kWidth>(
          f, detail::load_pack<In, kWidth>(in, k + u * step)...);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) packs_out[k + u * step] = results[u];
  }
  for (; k < packs; k += step)
    packs_out[k] = detail::map_pack<Out, kWidth>(f, detail::load_pack<In, kWidth>(in, k)...);
  for (k = packs * kWidth + first; k < n; k += step) out[k] = f(in[k]...);
}

/// Σ f(in[k]…) for k in begin…end−1 by the threads of a block of one axis; thread 0 has it. Loads of
/// 16 bytes where every in + begin is a multiple of 16; each thread sums in several chains.
template <class T, class F, class... In>
__device__ inline T block_transform_sum(long long begin, long long end, const F& f,
                                        const In*... in) {
  constexpr int kWidest = detail::widest<In...>::kBytes;
  constexpr int kWidth = kWidest < 16 ? 16 / kWidest : 1;
  constexpr int kUnroll = 4;
  const long long packs = (detail::is_pack_aligned(in + begin) && ...) ? (end - begin) / kWidth : 0;
  const long long step = blockDim.x;
  T sums[kUnroll] = {};
  const auto add = [&](T& sum, const detail::transform_pack<T, kWidth>& terms) {
#pragma unroll
    for (int w = 0; w < kWidth; ++w) sum += terms.at[w];
  };
  long long k = threadIdx.x;
  for (; k + (kUnroll - 1) * step < packs; k += kUnroll * step) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u)
      add(sums[u], detail::map_pack<T, kWidth>(
                       f, detail::load_pack<In, kWidth>(in + begin, k + u * step)...));
  }
  for (; k < packs; k += step)
    add(sums[0], detail::map_pack<T, kWidth>(f, detail::load_pack<In, kWidth>(in + begin, k)...));
  for (k = begin + packs * kWidth + threadIdx.x; k + (kUnroll - 1) * step < end;
       k += kUnroll * step) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) sums[u] += f(in[k + u * step]...);
  }
  for (; k < end; k += step) sums[0] += f(in[k]...);
  return block_reduce((sums[0] + sums[1]) + (sums[2] + sums[3]),
                      [](T a, T b) { return a + b; });
}

}  // namespace kernelbatch
