// How cub_side.cu times, and what it times on: buffers of random numbers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace peers {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

static __global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

static __global__ void nothing() {}

/// The type in which 16-bit elements are computed.
template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<__half> {
  using type = float;
};
template <>
struct Wide<__nv_bfloat16> {
  using type = float;
};
template <>
struct Wide<std::int8_t> {
  using type = std::int64_t;
};
template <class T>
using WideOf = typename Wide<T>::type;

template <class T>
__global__ void fill(T* values, std::int64_t size, unsigned seed, bool is_normal) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, static_cast<unsigned long long>(thread), 0, &state);
  for (std::int64_t k = thread; k < size; k += threads) {
    if constexpr (std::is_same_v<T, std::int8_t>)
      values[k] = static_cast<std::int8_t>(static_cast<int>(curand(&state) % 200u) - 100);
    else
      values[k] = static_cast<T>(is_normal ? curand_normal(&state) : curand_uniform(&state));
  }
}

__global__ void read(const int4* from, long long count, int* to) {
  int all = 0;
  for (long long k = blockIdx.x * 256LL + threadIdx.x; k < count; k += gridDim.x * 256LL) {
    const int4 four = __ldcg(from + k);
    all ^= four.x ^ four.y ^ four.z ^ four.w;
  }
  if (all == 0x12345678) *to = all;
}

template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t size) {
    check(cudaMalloc(&memory_, std::max<std::int64_t>(size, 1) * sizeof(T)));
  }
  Buffer(std::int64_t size, unsigned seed, bool is_normal) : Buffer(size) {
    fill<<<1024, 256>>>(memory_, size, seed, is_normal);
    check(cudaGetLastError());
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(memory_); }
  T* data() const { return memory_; }

 private:
  T* memory_ = nullptr;
};

class Timer {
 public:
  explicit Timer(double seconds) : seconds_(seconds), flush_(flush_size()) {
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
    check(cudaDeviceGetAttribute(&clock_khz_, cudaDevAttrClockRate, 0));
  }

  /// Median of cold samples, in seconds.
  double time(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    for (int k = 0; k < 3; ++k) call();
    check(cudaDeviceSynchronize());
    auto begin = Clock::now();
    call();
    const double host = since(begin);
    check(cudaDeviceSynchronize());
    const double whole = since(begin);
    const auto hold = static_cast<long long>(clock_khz_ * 1e3 * std::min(host * 3 + 50e-6, 0.05));
    std::vector<float> samples;
    begin = Clock::now();
    while (samples.size() < 7 || (samples.size() < 200 && since(begin) < seconds_)) {
      flush();
      if (whole < 0.02) spin<<<1, 1>>>(hold);
      check(cudaEventRecord(start_));
      call();
      check(cudaEventRecord(stop_));
      check(cudaEventSynchronize(stop_));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, start_, stop_));
      samples.push_back(milliseconds);
    }
    std::sort(samples.begin(), samples.end());
    const std::size_t middle = samples.size() / 2;
    const double median = samples.size() % 2 != 0
                              ? samples[middle]
                              : (double{samples[middle - 1]} + samples[middle]) / 2;
    return median * 1e-3;
  }

 private:
  /// As the other sides do it.
  void flush() {
    check(cudaMemsetAsync(flush_.data(), ++pattern_ & 1, static_cast<std::size_t>(flush_size())));
    read<<<1024, 256>>>(reinterpret_cast<const int4*>(flush_.data()), flush_size() / 16,
                        read_.data());
  }

  static std::int64_t flush_size() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    return 2 * std::int64_t{bytes};
  }

  double seconds_;
  Buffer<char> flush_;
  Buffer<int> read_{1};
  int pattern_ = 0;
  cudaEvent_t start_{}, stop_{};
  int clock_khz_ = 0;
};

}  // namespace peers
