// FusedPlan: which kernel a traced expression becomes for inputs of certain dtypes and shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/rows_kernel.hpp"
#include "core/kernel/fuse/typing.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// Created once per signature; does not move, since kernels and arguments point into it.
class FusedPlan {
 public:
  enum class Kind : std::uint8_t { kElementwise, kReduction, kRows };

  /// Throws SpecError with the reason if the expression cannot be one kernel. `graph` must outlive
  /// the plan.
  FusedPlan(const Graph& graph, const std::string& name, std::span<const DType> dtypes,
            std::span<const Shape> shapes);

  Kind kind() const noexcept { return kind_; }
  const std::vector<ArrayForm>& outputs() const noexcept { return outputs_; }

  /// Queues the kernel. `inputs` have the plan's dtypes and shapes, `outputs` the resulting ones.
  void launch(Stream& stream, std::span<const Argument> inputs, std::span<const Argument> outputs);

 private:
  void make_elementwise();
  void make_reduction(const std::vector<bool>& before);
  void make_rows(std::span<const Shape> shapes);

  std::string name_;
  TypedGraph typed_;
  Kind kind_ = Kind::kElementwise;
  std::vector<ArrayForm> outputs_;
  std::vector<std::size_t> order_;  // inputs in the order of the kernel's parameters
  std::unique_ptr<ElementwiseKernel> elementwise_;
  std::unique_ptr<ReductionKernel> reduction_;
  ReductionCall how_;
  std::unique_ptr<RowsKernel> rows_;
  std::vector<Argument> arguments_;  // of the call in hand; kept for its room
};

}  // namespace kernelbatch
