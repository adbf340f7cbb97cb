// ChunkedElementwise: an elementwise kernel over arrays that stay in host memory.
#pragma once

#include <span>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"

namespace kernelbatch {

class ChunkedElementwise {
 public:
  /// Throws OutOfMemoryError where the text asks for more than its element: indices along axes.
  explicit ChunkedElementwise(const ElementwiseDefinition& definition);

  /// `arguments` are all inputs and outputs of a resolved call over `shape`. Queues chunk after
  /// chunk; the arrays must stay as they are until the stream has got there. Throws
  /// OutOfMemoryError where raw arguments or arrays not in C order stay in host memory.
  void launch(Stream& stream, const Shape& shape, std::span<const Argument> arguments);

 private:
  const ElementwiseDefinition& definition_;
  ElementwiseKernel kernel_;  // of one chunk: told where the chunk lies
  ChunkPipeline pipeline_;
};

}  // namespace kernelbatch
