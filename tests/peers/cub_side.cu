// Times cases of CUB: cub_side SECONDS, with a line `CASE DTYPE SIZE [LENGTH]` on standard input
// for each; one line of JSON for each comes out. The method is cupy_side.py's: L2 flushed, a kernel
// that spins, start event, work, stop event; medians of cold samples. Temporary storage is
// allocated before.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "cub_timer.cuh"

namespace {

using peers::Buffer, peers::check, peers::Timer, peers::WideOf;

/// Times a device-wide algorithm `call(storage, bytes)`.
template <class Call>
double time_with_storage(Timer& timer, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  const Buffer<char> storage(static_cast<std::int64_t>(bytes));
  return timer.time([&] { check(call(storage.data(), bytes)); });
}

template <class T>
double time_mse(Timer& timer, std::int64_t n) {
  using W = WideOf<T>;
  const Buffer<T> x(n, 1, false), y(n, 2, false);
  const Buffer<W> out(1);
  const auto square = [] __host__ __device__(const thrust::tuple<T, T>& pair) -> W {
    const W difference =
        static_cast<W>(thrust::get<0>(pair)) - static_cast<W>(thrust::get<1>(pair));
    return difference * difference;
  };
  const auto divide = [n] __host__ __device__(W sum) -> W { return sum / static_cast<W>(n); };
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x.data(), y.data()));
  const auto mean = thrust::make_transform_output_iterator(out.data(), divide);
  return time_with_storage(timer, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(storage, bytes, pairs, mean, n, ::cuda::std::plus<>{},
                                              square, W{0});
  });
}

template <class T>
struct Widen {
  __host__ __device__ WideOf<T> operator()(T value) const { return static_cast<WideOf<T>>(value); }
};

template <class T>
double time_sum(Timer& timer, std::int64_t n) {
  using W = WideOf<T>;
  const Buffer<T> x(n, 1, false);
  const Buffer<W> out(1);
  return time_with_storage(timer, [&](void* storage, std::size_t& bytes) {
    if constexpr (std::is_same_v<T, W>)
      return cub::DeviceReduce::Sum(storage, bytes, x.data(), out.data(), n);
    else
      return cub::DeviceReduce::TransformReduce(storage, bytes, x.data(), out.data(), n,
                                                ::cuda::std::plus<>{}, Widen<T>{}, W{0});
  });
}

struct Multiples {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t k) const { return k * length; }
};

template <class T>
double time_segments(Timer& timer, std::int64_t segments, std::int64_t length) {
  using W = WideOf<T>;
  const Buffer<T> x(segments * length, 1, false);
  const Buffer<W> out(segments);
  const auto offsets = thrust::make_transform_iterator(
      thrust::make_counting_iterator(std::int64_t{0}), Multiples{length});
  const auto elements = thrust::make_transform_iterator(x.data(), Widen<T>{});
  return time_with_storage(timer, [&](void* storage, std::size_t& bytes) {
    if constexpr (std::is_same_v<T, W>)
      return cub::DeviceSegmentedReduce::Sum(storage, bytes, x.data(), out.data(), segments,
                                             offsets, offsets + 1);
    else
      return cub::DeviceSegmentedReduce::Sum(storage, bytes, elements, out.data(), segments,
                                             offsets, offsets + 1);
  });
}

struct SinExp {
  template <class W>
  __device__ W operator()(W v) const {
    return sin(v) * exp(-v * v);
  }
};
struct GeluTanh {
  template <class W>
  __device__ W operator()(W v) const {
    return W(0.5) * v * (W(1) + tanh(W(0.7978845608028654) * (v + W(0.044715) * v * v * v)));
  }
};
struct GeluErf {
  template <class W>
  __device__ W operator()(W v) const {
    return W(0.5) * v * (W(1) + erf(v * W(0.7071067811865476)));
  }
};
struct Clip {
  template <class W>
  __device__ W operator()(W v) const {
    return v < W(-0.5) ? W(-0.5) : v > W(0.5) ? W(0.5) : v;
  }
};
struct Silu {
  template <class W>
  __device__ W operator()(W v) const {
    return v / (W(1) + exp(-v));
  }
};
struct Add {
  template <class W>
  __device__ W operator()(W v, W w) const {
    return v + w;
  }
};
struct Multiply {
  template <class W>
  __device__ W operator()(W v, W w) const {
    return v * w;
  }
};
struct SquarePlus {
  template <class W>
  __device__ W operator()(W v, W w) const {
    return v * v + w;
  }
};

/// Applies a map to elements, computed in their wide type.
template <class T, class Map>
struct Of {
  template <class... U>
  __device__ T operator()(U... values) const {
    return static_cast<T>(Map{}(static_cast<WideOf<T>>(values)...));
  }
};

template <class T, class Map>
double time_map(Timer& timer, std::int64_t n) {
  const Buffer<T> x(n, 1, true), out(n);
  return timer.time(
      [&] { check(cub::DeviceTransform::Transform(x.data(), out.data(), n, Of<T, Map>{})); });
}

template <class T, class Map>
double time_map_of_two(Timer& timer, std::int64_t n) {
  const Buffer<T> x(n, 1, true), y(n, 2, true), out(n);
  return timer.time([&] {
    check(cub::DeviceTransform::Transform(::cuda::std::make_tuple(x.data(), y.data()), out.data(),
                                          n, Of<T, Map>{}));
  });
}

template <class T>
double time_case(Timer& timer, const std::string& name, std::int64_t size, std::int64_t length) {
  if (name == "sum") return time_sum<T>(timer, size);
  if (name == "segments") return time_segments<T>(timer, size, length);
  if constexpr (!std::is_same_v<T, std::int8_t>) {
    if (name == "mse") return time_mse<T>(timer, size);
    if (name == "sin_exp") return time_map<T, SinExp>(timer, size);
    if (name == "gelu_tanh") return time_map<T, GeluTanh>(timer, size);
    if (name == "gelu_erf") return time_map<T, GeluErf>(timer, size);
    if (name == "clip") return time_map<T, Clip>(timer, size);
    if (name == "silu") return time_map<T, Silu>(timer, size);
    if (name == "add") return time_map_of_two<T, Add>(timer, size);
    if (name == "multiply") return time_map_of_two<T, Multiply>(timer, size);
    if (name == "square_plus") return time_map_of_two<T, SquarePlus>(timer, size);
  }
  throw std::runtime_error("no such case");
}

double time_line(Timer& timer, const std::string& line) {
  std::istringstream words(line);
  std::string name, dtype;
  std::int64_t size = 0, length = 0;
  words >> name >> dtype >> size >> length;
  if (dtype == "float32") return time_case<float>(timer, name, size, length);
  if (dtype == "float64") return time_case<double>(timer, name, size, length);
  if (dtype == "float16") return time_case<__half>(timer, name, size, length);
  if (dtype == "bfloat16") return time_case<__nv_bfloat16>(timer, name, size, length);
  if (dtype == "int8") return time_case<std::int8_t>(timer, name, size, length);
  throw std::runtime_error("no such dtype");
}

}  // namespace

int main(int count, char** arguments) try {
  Timer timer(count > 1 ? std::stod(arguments[1]) : 0.15);
  const double empty = timer.time([] { peers::nothing<<<1, 32>>>(); });
  std::printf("{\"case\": \"empty\", \"seconds\": %.9g}\n", empty);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const double seconds = time_line(timer, line);
      std::printf("{\"case\": \"%s\", \"seconds\": %.9g}\n", line.c_str(), seconds);
    } catch (const std::exception& error) {
      cudaGetLastError();
      std::printf("{\"case\": \"%s\", \"error\": \"%s\"}\n", line.c_str(), error.what());
    }
    std::fflush(stdout);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "cub_side: %s\n", error.what());
  return 1;
}
