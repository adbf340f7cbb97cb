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
  /// `typed` must outlive this. `row_inputs` is true for each input with one element per row.
  RowsKernel(const TypedGraph& typed, std::string name, std::vector<bool> row_inputs);
  ~RowsKernel();

  /// Queues the kernel. `arguments` are inputs and outputs, all arrays of the dtypes and shapes for
  /// which the expression was typed. Throws SpecError if an output overlaps an input or repeats
  /// elements.
  void launch(Stream& stream, std::span<const Argument> arguments);

 private:
  class Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace kernelbatch
