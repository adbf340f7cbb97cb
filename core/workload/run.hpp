// Run: interface with which a variant prepares its work. Implemented by the harness, which owns the
// timing loop, the outputs, verification and storage.
#pragma once

#include <string_view>

#include "core/array/array.hpp"
#include "core/workload/params.hpp"
#include "core/workload/work.hpp"

namespace kernelbatch {

/// One variant of one case. It lives until the last call of the variant's work. A `reference`
/// variant runs on the CPU: its outputs are host arrays, and device(), stream() and to_device()
/// throw.
class Run {
 public:
  virtual ~Run();

  virtual const Params& params() const = 0;
  virtual Device& device() = 0;
  /// Streams are numbered from 0, which is passed to the work. Others are created on demand, before
  /// the work is returned. All share one RunContext.
  virtual Stream& stream(int number = 0) = 0;
  /// A copy of a host array on the device; the copy is timed separately.
  virtual Array to_device(const Array& host) = 0;
  /// Uninitialised memory on the device.
  virtual Array scratch(DType dtype, const Shape& shape) = 0;
  /// The declared output of that name; each call of the work must write it completely.
  virtual Array output(std::string_view name) = 0;
};

}  // namespace kernelbatch
