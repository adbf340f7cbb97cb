// Run: what a variant works with while it is measured. Implemented by the harness, which owns the
// timing loop, the outputs, verification and storage.
#pragma once

#include <functional>
#include <string_view>

#include "core/array/array.hpp"
#include "core/plugin/params.hpp"

namespace kernelbatch {

/// One variant of one case. A `reference` variant runs on the CPU: its outputs are host arrays, and
/// device(), stream() and to_device() throw.
class Run {
 public:
  virtual ~Run();

  virtual const Params& params() const = 0;
  virtual Device& device() = 0;
  /// Streams are numbered from 0 and made on demand.
  virtual Stream& stream(int number = 0) = 0;
  /// A copy of a host array on the device; the copy is timed apart.
  virtual Array to_device(const Array& host) = 0;
  /// Uninitialised memory on the device.
  virtual Array scratch(DType dtype, const Shape& shape) = 0;
  /// The declared output of that name, to be written completely by the measured work.
  virtual Array output(std::string_view name) = 0;

  /// The work to be verified and timed: called many times, each call must do the same. It queues
  /// work on the run's streams (the reference just computes). Called exactly once by a variant.
  virtual void measure(const std::function<void()>& work) = 0;
};

}  // namespace kernelbatch
