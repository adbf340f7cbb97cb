// ChunkedReduction: a reduction of arrays that stay in host memory.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// Along an axis that stays, every chunk has its own outputs. Along one that goes, what the chunks
/// so far come to is carried on to the next, in order: the result is that of one long reduction, in
/// another grouping.
class ChunkedReduction {
 public:
  explicit ChunkedReduction(const ReductionDefinition& definition);

  struct Call {
    Shape shape;            ///< of the inputs, broadcast
    std::vector<int> axes;  ///< that go: sorted, not negative
    bool keepdims = false;
    Shape out_shape;
    DType first_output = DType::kFloat64;
  };
  /// `arguments` are all inputs and outputs of a resolved call, which has elements to reduce.
  /// Queues chunk after chunk; the arrays must stay as they are until the stream has got there.
  /// Throws OutOfMemoryError where raw arguments or arrays not in C order stay in host memory.
  void launch(Stream& stream, const Call& call, std::span<const Argument> arguments);

 private:
  /// How a call is cut along one axis. Its arguments refer to its arrays.
  struct Cut {
    std::vector<Array> flat;     ///< inputs as vectors, where all axes are one
    std::vector<Array> numbers;  ///< outputs then, of one element each, without axes
    std::vector<Argument> arguments;
    std::vector<ChunkRole> roles;
    std::int64_t extent = 1;         ///< of the axis
    std::int64_t inner_reduced = 1;  ///< elements that one index of the axis adds to an output
    std::int64_t in_count = 0, out_count = 0;
    bool carries = false;  ///< the axis is reduced: outputs are joined from chunk to chunk
    ReductionCall how;
  };
  Cut cut(const Call& call, std::span<const Argument> arguments) const;
  /// Room for one partial result of each output.
  void reserve_carry(Device& device, std::int64_t outputs, DType first_output);
  const ReductionKernel& kernel(bool carries, bool is_first);

  const ReductionDefinition& definition_;
  std::optional<ReductionKernel> alone_, first_, next_;
  ChunkPipeline pipeline_;
  Array carry_;
};

}  // namespace kernelbatch
