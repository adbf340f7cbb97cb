#include "core/array/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

thread_local HostArrayLog* host_array_log = nullptr;

std::size_t byte_count(DType dtype, const Shape& shape) {
  const std::int64_t count = element_count(shape);
  if (count > (std::int64_t{1} << 62) / 16)
    throw SpecError(fmt::format("the shape {} is larger than any memory", to_text(shape)));
  return static_cast<std::size_t>(count) * size_of(dtype);
}

/// Lowest and highest byte offset of a view, relative to its first element.
std::pair<std::int64_t, std::int64_t> byte_range(const Array& array) {
  std::int64_t low = 0;
  std::int64_t high = static_cast<std::int64_t>(size_of(array.dtype()));
  for (int axis = 0; axis < array.axes(); ++axis) {
    const std::int64_t reach = (array.shape()[axis] - 1) * array.strides()[axis];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

/// Gathers a strided view of host memory into C order.
void gather(const std::byte* from, const Array& layout, std::byte* to) {
  const std::size_t item = size_of(layout.dtype());
  Extents index = Extents::filled(layout.axes(), 0);
  std::int64_t offset = 0;
  for (std::int64_t k = 0; k < layout.size(); ++k) {
    std::memcpy(to + static_cast<std::size_t>(k) * item, from + offset, item);
    for (int axis = layout.axes() - 1; axis >= 0; --axis) {
      offset += layout.strides()[axis];
      if (++index[axis] < layout.shape()[axis]) break;
      offset -= layout.shape()[axis] * layout.strides()[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

Array Array::on_device(Device& device, DType dtype, const Shape& shape) {
  device.count_array();
  const std::size_t bytes = byte_count(dtype, shape);
  // Whole packs on a GPU: kernels read those that contain an array's first and last elements. On
  // the host device the checks need the exact end.
  const auto pack = static_cast<std::size_t>(std::max(device.properties().vector_bytes, 1));
  void* memory = device.allocate(std::max<std::size_t>((bytes + pack - 1) / pack * pack, 16));
  Array array = of_memory(memory, dtype, shape, &device);
  array.owner_ = std::shared_ptr<void>(memory, [&device](void* p) { device.deallocate(p); });
  return array;
}

Array Array::on_host(DType dtype, const Shape& shape) {
  const std::size_t bytes = (std::max<std::size_t>(byte_count(dtype, shape), 1) + 63) / 64 * 64;
  // The system overcommits memory and kills the process that uses too much.
  if (bytes >= kWorthAsking)
    if (const std::uint64_t available = available_memory(); bytes > available)
      throw OutOfMemoryError(fmt::format(
          "the host cannot give {} for an array of {} {}: {} are "
          "available",
          format_bytes(bytes), name_of(dtype), to_text(shape), format_bytes(available)));
  void* memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr)
    throw OutOfMemoryError(fmt::format("the host cannot give {}", format_bytes(bytes)));
  Array array = of_memory(memory, dtype, shape);
  array.owner_ = std::shared_ptr<void>(memory, [bytes](void* p) {
    if (hides_memory()) ::explicit_bzero(p, bytes);
    std::free(p);
  });
  if (host_array_log != nullptr)
    host_array_log->made_.push_back({array.owner_, array.data_, bytes});
  return array;
}

HostArrayLog::HostArrayLog() noexcept : outer_(std::exchange(host_array_log, this)) {}

HostArrayLog::~HostArrayLog() { host_array_log = outer_; }

bool is_in(const std::vector<HostArrayLog::Memory>& memory, const Array& array) noexcept {
  return std::ranges::any_of(memory, [&](const HostArrayLog::Memory& each) {
    return array.data() >= each.begin && array.data() < each.begin + each.bytes &&
           !each.owner.expired();
  });
}

Array Array::of_memory(void* data, DType dtype, const Shape& shape, Device* device) {
  Array array;
  array.data_ = static_cast<std::byte*>(data);
  array.dtype_ = dtype;
  array.shape_ = shape;
  array.strides_ = contiguous_strides(shape, size_of(dtype));
  array.size_ = element_count(shape);
  array.device_ = device;
  return array;
}

Array Array::staged(const Array& host, Device& device) {
  Array array = host;
  const auto [low, high] = byte_range(host);
  struct Held {
    std::shared_ptr<void> memory, pin;  // unpinned first
  };
  array.owner_ = std::make_shared<Held>(
      Held{host.owner_, device.pin(host.data() + low, static_cast<std::size_t>(high - low))});
  array.is_staged_ = true;
  return array;
}

std::size_t staging_bytes(std::size_t array_bytes) noexcept {
  // Large enough for the link's full bandwidth, small compared with arrays that do not fit.
  return std::clamp(array_bytes / 64, std::size_t{64} << 10, std::size_t{32} << 20);
}

bool Array::is_contiguous() const noexcept {
  if (size_ == 0) return true;
  auto expected = static_cast<std::int64_t>(size_of(dtype_));
  for (int axis = axes() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && strides_[axis] != expected) return false;
    expected *= shape_[axis];
  }
  return true;
}

void Array::require_host(DType dtype) const {
  if (dtype != dtype_)
    throw SpecError(fmt::format("the array holds {}, not {}", name_of(dtype_), name_of(dtype)));
  if (device_ != nullptr && !device_->properties().shares_host_memory)
    throw SpecError("the array is on a device: copy it to the host first");
  if (!is_contiguous()) throw SpecError("the array is not contiguous");
}

Array Array::with_layout(std::byte* data, const Shape& shape, const Strides& strides) const {
  Array view = *this;
  view.data_ = data;
  view.shape_ = shape;
  view.strides_ = strides;
  view.size_ = element_count(shape);
  return view;
}

Array Array::reshape(const Shape& shape) const {
  if (!is_contiguous() || element_count(shape) != size_)
    throw SpecError(fmt::format("cannot view shape {} as {}", to_text(shape_), to_text(shape)));
  Array view = *this;
  view.shape_ = shape;
  view.strides_ = contiguous_strides(shape, size_of(dtype_));
  return view;
}

Array Array::transpose(std::span<const int> order) const {
  Array view = *this;
  std::vector<bool> seen(static_cast<std::size_t>(axes()), false);
  bool valid = static_cast<int>(order.size()) == axes();
  for (std::size_t k = 0; valid && k < order.size(); ++k) {
    const int axis = order[k];
    valid = axis >= 0 && axis < axes() && !seen[static_cast<std::size_t>(axis)];
    if (!valid) break;
    seen[static_cast<std::size_t>(axis)] = true;
    view.shape_[static_cast<int>(k)] = shape_[axis];
    view.strides_[static_cast<int>(k)] = strides_[axis];
  }
  if (!valid)
    throw SpecError(
        fmt::format("({}) is not an order of the {} axes", fmt::join(order, ", "), axes()));
  return view;
}

Array Array::transpose() const {
  std::vector<int> order;
  for (int axis = axes() - 1; axis >= 0; --axis) order.push_back(axis);
  return transpose(order);
}

Array Array::broadcast_to(const Shape& shape) const {
  const int missing = shape.count() - axes();
  Array view = *this;
  view.shape_ = shape;
  view.strides_ = Extents::filled(shape.count(), 0);
  view.size_ = element_count(shape);
  for (int axis = 0; axis < axes(); ++axis) {
    if (missing < 0 || (shape_[axis] != 1 && shape_[axis] != shape[missing + axis]))
      throw SpecError(
          fmt::format("shape {} cannot be broadcast to {}", to_text(shape_), to_text(shape)));
    if (shape_[axis] != 1) view.strides_[missing + axis] = strides_[axis];
  }
  return view;
}

Array Array::slice(int axis, std::int64_t start, std::int64_t count, std::int64_t step) const {
  const bool valid =
      axis >= 0 && axis < axes() && count >= 0 && step != 0 &&
      (count == 0 || (start >= 0 && start < shape_[axis] && start + (count - 1) * step >= 0 &&
                      start + (count - 1) * step < shape_[axis]));
  if (!valid)
    throw SpecError(fmt::format("slice of {} elements from {} by {} leaves axis {} of {}", count,
                                start, step, axis, to_text(shape_)));
  Array view = *this;
  if (count > 0) view.data_ += start * strides_[axis];
  view.shape_[axis] = count;
  view.strides_[axis] *= step;
  view.size_ = element_count(view.shape_);
  return view;
}

void copy(const Array& from, const Array& to, Stream& stream) {
  if (from.dtype() != to.dtype() || !(from.shape() == to.shape()))
    throw SpecError(fmt::format("cannot copy {} {} to {} {}", name_of(from.dtype()),
                                to_text(from.shape()), name_of(to.dtype()), to_text(to.shape())));
  if (!from.is_contiguous() || !to.is_contiguous())
    throw SpecError("cannot copy an array that is not contiguous");
  if (from.device() == nullptr && to.device() == nullptr) {
    copy_bytes(to.data(), from.data(), from.bytes());
    return;
  }
  const Copy kind = from.device() == nullptr ? Copy::kToDevice
                    : to.device() == nullptr ? Copy::kToHost
                                             : Copy::kOnDevice;
  stream.device().copy(to.data(), from.data(), from.bytes(), kind, stream);
  stream.synchronize();
}

Array to_host(const Array& array, Stream& stream) {
  Array result = Array::on_host(array.dtype(), array.shape());
  if (array.size() == 0) return result;
  if (array.is_contiguous()) {
    Array flat = array;
    copy(flat, result, stream);
    return result;
  }
  const auto [low, high] = byte_range(array);
  if (array.device() == nullptr) {
    gather(array.data(), array, result.data());
    return result;
  }
  std::vector<std::byte> memory(static_cast<std::size_t>(high - low));
  stream.device().copy(memory.data(), array.data() + low, memory.size(), Copy::kToHost, stream);
  stream.synchronize();
  gather(memory.data() - low, array, result.data());
  return result;
}

Array contiguous(const Array& array) {
  if (array.is_contiguous()) return array;
  Array copied = Array::on_host(array.dtype(), array.shape());
  gather(array.data(), array, copied.data());
  return copied;
}

Array to_device(const Array& array, Stream& stream) {
  Array result = Array::on_device(stream.device(), array.dtype(), array.shape());
  copy(array, result, stream);
  return result;
}

}  // namespace kernelbatch
