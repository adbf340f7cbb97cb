// Array: a typed, shaped view of memory on a device or in plain host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/array/dtype.hpp"
#include "core/array/shape.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// Dtype and shape of an array.
struct ArrayForm {
  DType dtype = DType::kFloat64;
  Shape shape = {};

  friend bool operator==(const ArrayForm&, const ArrayForm&) = default;
};

/// A view of memory: dtype, shape, strides in bytes (negative and zero allowed), offset. Copies are
/// cheap and share the memory, which lives as long as its last view (hence the shared_ptr inside).
/// `device()` is null for plain host memory.
class Array {
 public:
  Array() = default;

  /// Uninitialised memory, C order, contiguous. Throws SpecError for an invalid shape,
  /// OutOfMemoryError.
  static Array on_device(Device& device, DType dtype, const Shape& shape);
  static Array on_host(DType dtype, const Shape& shape);
  /// A view of memory that the caller owns and keeps alive.
  static Array of_memory(void* data, DType dtype, const Shape& shape, Device* device = nullptr);
  /// The same host array for kernels that copy it through device memory in chunks: pinned while the
  /// result or a view of it lives.
  static Array staged(const Array& host, Device& device);
  /// Host array of values, one axis.
  template <class T>
  static Array from(const std::vector<T>& values);

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  const Strides& strides() const noexcept { return strides_; }
  int axes() const noexcept { return shape_.count(); }
  std::int64_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * size_of(dtype_); }
  Device* device() const noexcept { return device_; }
  bool is_staged() const noexcept { return is_staged_; }
  bool is_contiguous() const noexcept;
  std::byte* data() const noexcept { return data_; }

  /// Elements of a contiguous host array. Throws SpecError if dtype, location or order do not
  /// match.
  template <class T>
  std::span<T> as() const {
    require_host(kDTypeOf<T>);
    return {reinterpret_cast<T*>(data_), static_cast<std::size_t>(size_)};
  }

  /// Memory of this array's owner with another start and layout; the caller is responsible for the
  /// range.
  Array with_layout(std::byte* data, const Shape& shape, const Strides& strides) const;

  // Views; each throws SpecError if it would need a copy.
  Array reshape(const Shape& shape) const;  ///< of a contiguous array
  Array transpose(std::span<const int> axes) const;
  Array transpose() const;  ///< all axes reversed
  Array broadcast_to(const Shape& shape) const;
  /// `count` indices of one axis from `start`, every `step`-th one; a negative step goes backwards.
  Array slice(int axis, std::int64_t start, std::int64_t count, std::int64_t step) const;

 private:
  void require_host(DType dtype) const;

  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  DType dtype_ = DType::kFloat64;
  Shape shape_;
  Strides strides_;
  std::int64_t size_ = 0;
  Device* device_ = nullptr;
  bool is_staged_ = false;
};

/// Records the memory of all arrays that this thread creates with on_host() during its lifetime.
/// Logs nest: only the innermost one records. Per thread and not carried by a RunContext or Inputs:
/// a problem creates arrays with nothing but a dtype and a shape, before it has a device or a run.
class HostArrayLog {
 public:
  HostArrayLog() noexcept;
  ~HostArrayLog();
  HostArrayLog(const HostArrayLog&) = delete;
  HostArrayLog& operator=(const HostArrayLog&) = delete;

  /// Memory, freed with its last array.
  struct Memory {
    std::weak_ptr<void> owner;
    const std::byte* begin;
    std::size_t bytes;
  };
  const std::vector<Memory>& made() const noexcept { return made_; }

 private:
  friend class Array;
  HostArrayLog* outer_;
  std::vector<Memory> made_;
};

/// True if the host array's memory is one of these and has not been freed since.
bool is_in(const std::vector<HostArrayLog::Memory>& memory, const Array& array) noexcept;

/// Bytes of the device buffer for a staged array of `array_bytes`.
std::size_t staging_bytes(std::size_t array_bytes) noexcept;

/// Copies elements between contiguous arrays of equal dtype and shape, on host or device. Returns
/// when the copy is complete.
void copy(const Array& from, const Array& to, Stream& stream);

/// A contiguous copy in plain host memory of any array, whatever its strides.
Array to_host(const Array& array, Stream& stream);

/// The array itself if it is contiguous, else a contiguous copy. Plain host memory only.
Array contiguous(const Array& array);

/// A contiguous copy on the stream's device of a contiguous host array.
Array to_device(const Array& array, Stream& stream);

template <class T>
Array Array::from(const std::vector<T>& values) {
  Array array = on_host(kDTypeOf<T>, {static_cast<std::int64_t>(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) array.as<T>()[k] = values[k];
  return array;
}

}  // namespace kernelbatch
