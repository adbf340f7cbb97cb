// MemoryBudget: what one variant may use of its device's memory.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/variant_kind.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// Whether kernels of that kind work in pieces on arrays that do not fit on the device.
bool may_stream(VariantKind kind) noexcept;

/// Bytes that `limits.memory`, a share or a size, allows on a device.
double memory_limit_bytes(const std::string& text, const DeviceProperties& device);

/// Counts against a limit that all variants which are alive share. What it has counted is given
/// back when it goes.
class MemoryBudget {
 public:
  struct Setting {
    double limit = 0;  ///< bytes on the device; 0 = none
    bool may_stream =
        false;               ///< whether kernels can work in pieces on arrays that stay on the host
    double case_bytes = 0;   ///< that all of the case's arrays have at least; 0 = unknown
    double* used = nullptr;  ///< of the limit, by all variants; null: by this one alone
  };
  explicit MemoryBudget(const Setting& setting);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  double limit() const noexcept { return setting_.limit; }
  /// Throws OutOfMemoryError beyond the limit.
  void count(double bytes);
  /// Whether there is room for so many bytes more; counts them if so.
  bool may_keep(std::size_t bytes, const Device& device);
  /// Whether an array of so many bytes has to stay in host memory; counts the buffers for it if so.
  bool stays_on_host(std::size_t bytes);
  /// Bytes of arrays that stay there.
  double staged() const noexcept { return staged_; }

 private:
  Setting setting_;
  double own_ = 0, counted_ = 0, staged_ = 0;
  double* used_;
};

}  // namespace kernelbatch
