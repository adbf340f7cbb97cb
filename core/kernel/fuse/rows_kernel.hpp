// RowsKernel: a row-wise expression as a kernel, compiled and launched.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/fuse/typing.hpp"
#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

class RowsKernel {
 public:
  /// `typed` must outlive this. `row_inputs` says of each input whether it has one element per row.
  RowsKernel(const TypedGraph& typed, std::string name, std::vector<bool> row_inputs);
  ~RowsKernel();

  /// Queues the kernel. `arguments` are inputs and outputs, all arrays of the dtypes and shapes
  /// that the expression was typed for. Throws SpecError where an output overlaps an input or
  /// repeats elements.
  void launch(Stream& stream, std::span<const Argument> arguments);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace kernelbatch
