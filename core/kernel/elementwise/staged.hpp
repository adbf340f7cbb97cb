// StagedElementwise: an elementwise kernel over staged arrays.
#pragma once

#include <span>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"

namespace kernelbatch {

class StagedElementwise {
 public:
  /// Throws OutOfMemoryError if the text uses indices along axes.
  explicit StagedElementwise(const ElementwiseDefinition& definition);

  /// `arguments` are all inputs and outputs of a resolved call over `shape`. Queues chunk after
  /// chunk; the arrays must not change until the stream has processed them. Throws OutOfMemoryError
  /// if raw arguments or arrays not in C order are staged.
  void launch(Stream& stream, const Shape& shape, std::span<const Argument> arguments);

 private:
  const ElementwiseDefinition& definition_;
  ElementwiseKernel kernel_;  // of one chunk, with parameters for its position
  ChunkPipeline pipeline_;
};

}  // namespace kernelbatch
