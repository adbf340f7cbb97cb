// ReductionPass: the loops over the arrays of one form of call of a reduction, and their threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/launch/operand.hpp"
#include "core/kernel/reduction/definition.hpp"
#include "core/kernel/reduction/policy.hpp"

namespace kernelbatch {

/// Step of an input along an axis: neighbouring elements, one element, or with gaps.
enum class InputStep : std::uint8_t { kDense, kConstant, kStrided };

struct ReductionPass {
  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  std::vector<Array> inputs;      ///< those that are not raw, by slot
  ReductionLoops loops;
  ReductionSchedule schedule;
  std::int64_t in_count = 0;
  bool counts_inputs = false;
  bool is_wide = false;

  std::size_t looped_inputs() const noexcept { return inputs.size() + (counts_inputs ? 1 : 0); }
  const char* index_type() const noexcept { return is_wide ? "long long" : "int"; }
  /// Along the last of the reduced axes.
  InputStep step_along(std::size_t slot) const noexcept;
  /// From one output to the next.
  InputStep step_across(std::size_t slot) const noexcept;
  /// A block's rows are in slices of shared memory, or in groups.
  bool has_staged_axes() const noexcept {
    return schedule.pattern == ReductionPattern::kStagedRows &&
           (loops.inner.rank() > 1 || schedule.kept > 1);
  }
  /// Each element of a row has to be located.
  bool has_inner_axes() const noexcept {
    return loops.inner.rank() > 1 && schedule.slice == 1 && !has_staged_axes();
  }
  bool is_shared(std::size_t slot) const noexcept {
    return step_across(slot) == InputStep::kConstant;
  }

  /// The kernel's parameter, and the offsets of the workspace's addresses in it.
  struct Parameter {
    StructBytes bytes;
    std::vector<std::size_t> operands;  ///< offset of each one's address, view or value
    std::size_t partials = 0, tickets = 0;
  };
  Parameter parameter() const;
};

/// `arguments` are all inputs and outputs of a resolved call that reduces `axes` of `shape`. Throws
/// SpecError for an output that repeats elements.
ReductionPass plan_pass(const ReductionDefinition& definition, ResolvedTypes types,
                        const Shape& shape, const std::vector<int>& axes, bool keepdims,
                        std::span<const Argument> arguments, const DeviceProperties& device);

}  // namespace kernelbatch
