// StagedReduction: a reduction of staged arrays.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// If the axis that is cut is not reduced, every chunk has its own outputs. If it is reduced, the
/// partial result is carried from chunk to chunk, in order: the result equals that of one long
/// reduction with a different grouping.
class StagedReduction {
 public:
  explicit StagedReduction(const ReductionDefinition& definition);

  struct Call {
    Shape shape;            ///< of the inputs, broadcast
    std::vector<int> axes;  ///< reduced axes: sorted, not negative
    bool keepdims = false;
    Shape out_shape;
    DType first_output = DType::kFloat64;
  };
  /// `arguments` are all inputs and outputs of a resolved call, which has elements to reduce.
  /// Queues chunk after chunk; the arrays must not change until the stream has processed them.
  /// Throws OutOfMemoryError if raw arguments or arrays not in C order are staged.
  void launch(Stream& stream, const Call& call, std::span<const Argument> arguments);

 private:
  /// How a call is cut along one axis. Its arguments refer to its arrays.
  struct Cut {
    std::vector<Array> flat;     ///< inputs as vectors, if all axes are reduced as one
    std::vector<Array> numbers;  ///< the outputs in that case, of one element each, without axes
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
