// ToleranceKernel: an upper bound, computed on the device, of the number of elements outside a
// tolerance.
#pragma once

#include <cstdint>
#include <memory>

#include "core/array/compare.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// A queued count of elements.
class ElementCount {
 public:
  explicit ElementCount(Device& device);
  /// Valid after the stream has passed it.
  std::int64_t value(Stream& stream) const;

 private:
  friend class ToleranceKernel;
  Array there_, here_;
  std::shared_ptr<void> pinned_;
};

/// Conservative: a counted element may be within the tolerance, which compare() then decides; an
/// element that is not counted is within it. Compiled on first use.
class ToleranceKernel {
 public:
  ToleranceKernel();

  /// Queues counting over two contiguous arrays of one dtype and shape on the device of `into`; the
  /// tolerance's row and column bounds are there, too.
  void count(const Array& got, const Array& want, const Tolerance& tolerance, ElementCount& into,
             Stream& stream) const;

 private:
  ReductionKernel kernel_;
};

}  // namespace kernelbatch
