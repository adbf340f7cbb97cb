// ToleranceKernel: how many elements of an output may be beyond a tolerance, asked on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "core/array/compare.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// A number of elements that was queued.
class ElementCount {
 public:
  explicit ElementCount(Device& device);
  /// Once the stream has passed it.
  std::int64_t value(Stream& stream) const;

 private:
  friend class ToleranceKernel;
  Array there_, here_;
  std::shared_ptr<void> pinned_;
};

/// Errs on one side: what it counts may be within the tolerance, as compare() then tells, and what
/// it does not count is. Compiled when first used.
class ToleranceKernel {
 public:
  ToleranceKernel();

  /// Queues counting over two contiguous arrays of one dtype and shape on the device of `into`; so
  /// are the bounds of the tolerance's rows and columns.
  void count(const Array& got, const Array& want, const Tolerance& tolerance, ElementCount& into,
             Stream& stream) const;

 private:
  ReductionKernel kernel_;
};

}  // namespace kernelbatch
