// MemoryBudget: device memory that one variant may use.
#pragma once

#include <cstddef>
#include <string>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Bytes that `limits.memory`, a share or a size, allows on a device.
double memory_limit_bytes(const std::string& text, const DeviceProperties& device);

/// Counts against a limit shared by all live variants. The destructor gives its share back.
class MemoryBudget {
 public:
  struct Setting {
    double limit = 0;        ///< bytes on the device; 0 = none
    bool may_stage = false;  ///< whether kernels can process staged arrays in chunks
    double case_bytes = 0;   ///< minimum total size of the case's arrays; 0 = unknown
    double* used = nullptr;  ///< of the limit, by all variants; null: only by this one
  };
  explicit MemoryBudget(const Setting& setting);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  double limit() const noexcept { return setting_.limit; }
  /// Throws OutOfMemoryError beyond the limit.
  void count(double bytes);
  /// True if `bytes` more fit; counts them if so.
  bool may_keep(std::size_t bytes, const Device& device);
  /// True if an array of `bytes` must be staged; counts its buffers if so.
  bool stays_on_host(std::size_t bytes);
  /// Total bytes of staged arrays.
  double staged() const noexcept { return staged_; }

 private:
  Setting setting_;
  double own_ = 0, counted_ = 0, staged_ = 0;
  double* used_;
};

}  // namespace kernelbatch
