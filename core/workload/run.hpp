// Run: what a variant prepares its work with. Implemented by the harness, which owns the timing
// loop, the outputs, verification and storage.
#pragma once

#include <string_view>

#include "core/array/array.hpp"
#include "core/workload/params.hpp"
#include "core/workload/work.hpp"

namespace kernelbatch {

/// One variant of one case. It lives until the variant's work has been called for the last time. A
/// `reference` variant runs on the CPU: its outputs are host arrays, and device(), stream() and
/// to_device() throw.
class Run {
 public:
  virtual ~Run();

  virtual const Params& params() const = 0;
  virtual Device& device() = 0;
  /// Streams are numbered from 0, which the work is called with, and made on demand: those that the
  /// work uses besides it before it is returned.
  virtual Stream& stream(int number = 0) = 0;
  /// A copy of a host array on the device; the copy is timed apart.
  virtual Array to_device(const Array& host) = 0;
  /// Uninitialised memory on the device.
  virtual Array scratch(DType dtype, const Shape& shape) = 0;
  /// The declared output of that name, to be written completely by each call of the work.
  virtual Array output(std::string_view name) = 0;
};

}  // namespace kernelbatch
