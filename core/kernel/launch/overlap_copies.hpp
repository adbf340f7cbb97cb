// OverlapCopies: copies of inputs that a call's outputs would overwrite too early.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/launch/launch_plan.hpp"

namespace kernelbatch {

/// A kernel that copies arrays of any layout.
std::unique_ptr<ElementwiseKernel> make_overlap_copier();

/// Copies for calls of one form. Each stream has its own, which its later calls use again: only the
/// first call allocates. The destructor waits for the device.
class OverlapCopies {
 public:
  /// Queues the copies. Returns the call's arguments, with copies in place of the affected inputs;
  /// valid until the next call.
  std::span<const Argument> copy(Stream& stream, const ElementwiseKernel& copier,
                                 const LaunchPlan& plan, std::span<const Argument> arguments);

 private:
  std::map<std::pair<Stream*, std::size_t>, Array> copies_;  ///< by stream and argument
  std::vector<Argument> arguments_;
};

}  // namespace kernelbatch
