#include "core/device/host/tensor_reduction.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/base/reduced_float.hpp"
#include "core/device/host/cuda/kernelbatch/host_abi.hpp"

namespace kernelbatch::host {
namespace {

using enum kernelbatch_host::TensorAction;

template <class T>
T combine(int action, T a, T b) {
  if (action == kTensorAdd) return static_cast<T>(a + b);
  if (action == kTensorMin) return std::min(a, b);
  if (action == kTensorMax) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    if (action == kTensorInc) return a >= b ? T{0} : static_cast<T>(a + 1);
    if (action == kTensorDec) return a == 0 || a > b ? b : static_cast<T>(a - 1);
    if (action == kTensorAnd) return a & b;
    if (action == kTensorOr) return a | b;
    if (action == kTensorXor) return a ^ b;
  }
  return b;
}

template <ReducedFloat T>
T combine(int action, T a, T b) {
  return from_float<T>(combine(action, to_float(a), to_float(b)));
}

template <class T>
void reduce(int action, char* to, const char* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T other{};
    std::memcpy(&other, from + at, sizeof other);
    std::atomic_ref<T> element(*reinterpret_cast<T*>(to + at));
    T before = element.load();
    while (!element.compare_exchange_weak(before, combine(action, before, other))) {
    }
  }
}

}  // namespace

void reduce_elements(TensorType type, int action, char* to, const char* from, std::size_t bytes) {
  switch (type) {
    case TensorType::kUInt8:
      return reduce<std::uint8_t>(action, to, from, bytes);
    case TensorType::kUInt16:
      return reduce<std::uint16_t>(action, to, from, bytes);
    case TensorType::kUInt32:
      return reduce<std::uint32_t>(action, to, from, bytes);
    case TensorType::kInt32:
      return reduce<std::int32_t>(action, to, from, bytes);
    case TensorType::kUInt64:
      return reduce<std::uint64_t>(action, to, from, bytes);
    case TensorType::kInt64:
      return reduce<std::int64_t>(action, to, from, bytes);
    case TensorType::kFloat16:
      return reduce<Float16>(action, to, from, bytes);
    case TensorType::kBFloat16:
      return reduce<BFloat16>(action, to, from, bytes);
    case TensorType::kFloat64:
      return reduce<double>(action, to, from, bytes);
    case TensorType::kFloat32:
    case TensorType::kFloat32Ftz:
    case TensorType::kTFloat32:
    case TensorType::kTFloat32Ftz:
      return reduce<float>(action, to, from, bytes);
  }
}

}  // namespace kernelbatch::host
