// RowsKernel: a row-wise expression as kernels, compiled and launched.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/argument.hpp"
#include "core/kernel/fuse/typing.hpp"
#include "core/kernel/launch_plan.hpp"
#include "core/kernel/program.hpp"

namespace kernelbatch {

class RowsKernel {
 public:
  /// `typed` must outlive this. `row_inputs` says of each input whether it has one element per row.
  RowsKernel(const TypedGraph& typed, std::string name, std::vector<bool> row_inputs)
      : typed_(typed), name_(std::move(name)), row_inputs_(std::move(row_inputs)) {}

  /// Queues the kernel. `arguments` are inputs and outputs, all arrays of the dtypes and shapes
  /// that the expression was typed for. Throws SpecError where rows cannot be addressed as one
  /// axis, an output overlaps an input or repeats elements.
  void launch(Stream& stream, std::span<const Argument> arguments);

 private:
  LaunchPlan& plan(Device& device, std::span<const Argument> arguments);

  const TypedGraph& typed_;
  std::string name_;
  std::vector<bool> row_inputs_;
  std::map<std::string, Program> programs_;
  RecentPlans<LaunchPlan> launches_;
};

}  // namespace kernelbatch
