// LayoutArgument: a loop's extents and strides as a kernel parameter.
#pragma once

#include <string>

#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// A loop with 32-bit indices, or 64-bit ones if `is_wide`. A 32-bit loop over several axes divides
/// by multiplication, which takes a tenth of the time.
class LayoutArgument {
 public:
  LayoutArgument(const LoopPlan& loop, bool is_wide) : loop_(loop), is_wide_(is_wide) {}

  int rank() const noexcept { return loop_.rank(); }
  bool is_divided() const noexcept { return !is_wide_ && loop_.rank() > 1; }
  /// "kernelbatch::layout<int, 1, 3>", "_divided_layout<2, 3>".
  std::string type() const;
  /// Names of its arrays of extents and, by array, strides in the kernel.
  const char* extents() const noexcept { return is_divided() ? "_extent" : "extent"; }
  const char* strides() const noexcept { return is_divided() ? "_stride" : "stride"; }
  /// Its members.
  StructBytes bytes() const;

 private:
  const LoopPlan& loop_;
  bool is_wide_;
};

/// The text that defines `_divided_layout` if it is used, else nothing.
std::string layout_definition(bool is_divided);

}  // namespace kernelbatch
