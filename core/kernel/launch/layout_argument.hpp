// LayoutArgument: a loop's extents and strides as a kernel gets them.
#pragma once

#include <string>

#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// A loop with indices of 32 bits, or of 64 where `is_wide`. One of several axes and
/// 32 bits divides by multiplication, which takes a tenth of the time.
class LayoutArgument {
 public:
  LayoutArgument(const LoopPlan& loop, bool is_wide) : loop_(loop), is_wide_(is_wide) {}

  int rank() const noexcept { return loop_.rank(); }
  bool is_divided() const noexcept { return !is_wide_ && loop_.rank() > 1; }
  /// "kernelbatch::layout<int, 1, 3>", "_divided_layout<2, 3>".
  std::string type() const;
  /// How the kernel names its arrays of extents and, by array, strides.
  const char* extents() const noexcept { return is_divided() ? "_extent" : "extent"; }
  const char* strides() const noexcept { return is_divided() ? "_stride" : "stride"; }
  /// Its members.
  StructBytes bytes() const;

 private:
  const LoopPlan& loop_;
  bool is_wide_;
};

/// The text that defines `_divided_layout` where one of these is that, else nothing.
std::string layout_definition(bool is_divided);

}  // namespace kernelbatch
