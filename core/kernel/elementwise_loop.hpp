// ElementwiseLoop: how one form of call of an elementwise kernel walks its arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/elementwise_definition.hpp"
#include "core/kernel/launch_plan.hpp"
#include "core/kernel/layout_argument.hpp"
#include "core/kernel/loop_plan.hpp"
#include "core/kernel/operand.hpp"

namespace kernelbatch {

enum class LoopKind : std::uint8_t { kDense, kPacked, kStrided };

struct ElementwiseLoop {
  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  LoopPlan plan;                  ///< of the arrays that are not raw, by slot
  LoopKind kind = LoopKind::kDense;
  int pack = 1;
  bool is_wide = false;

  std::size_t arrays() const noexcept { return plan.strides.size(); }
  /// Whether an array stands still in a dense or packed loop.
  bool is_constant(const Operand& operand) const noexcept {
    return plan.strides[static_cast<std::size_t>(operand.slot)][0] == 0;
  }
  const char* index_type() const noexcept { return is_wide ? "long long" : "int"; }
  LayoutArgument layout() const noexcept { return {plan, is_wide}; }
  /// Equal for loops of one definition that have the same text.
  std::string key() const;
  /// Where the blocks and threads go.
  LaunchShape launch_shape(const ElementwiseOptions& options, const DeviceProperties& device) const;
  /// Adds the kernel's parameters to a plan of the launch.
  void add_parameters(LaunchPlan& launch) const;
};

/// `arguments` are all inputs and outputs of a resolved call that loops over `shape`. Throws
/// SpecError for an output that repeats elements.
ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device);

}  // namespace kernelbatch
