// OverlapCopies: copies of inputs that a call's outputs would overwrite too early.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/launch/launch_plan.hpp"

namespace kernelbatch {

/// A kernel that copies arrays of any layout.
std::unique_ptr<ElementwiseKernel> make_overlap_copier();

/// Queues the copies and owns them; the destructor waits for the device.
class OverlapCopies {
 public:
  OverlapCopies(Stream& stream, const ElementwiseKernel& copier, const LaunchPlan& plan,
                std::span<const Argument> arguments);
  /// The call's arguments, with copies in place of the affected inputs.
  std::span<const Argument> arguments() const noexcept { return arguments_; }

 private:
  std::vector<Array> copies_;
  std::vector<Argument> arguments_;
};

}  // namespace kernelbatch
