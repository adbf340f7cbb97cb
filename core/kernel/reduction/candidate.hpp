// The policies of a reduction's access patterns on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/kernel/reduction/policy.hpp"

namespace kernelbatch {

/// Inputs of the choice of a schedule.
struct ReductionProblem {
  const ReductionLoops& loops;
  std::span<const Array> inputs;
  std::span<const Array* const> arrays;
  const ReductionFreedom& freedom;
  const DeviceProperties& device;

  std::int64_t outputs() const noexcept { return loops.outer.count; }
  std::int64_t count() const noexcept { return loops.inner.count; }
  /// Bytes of an element of the first input; 0 if there is none.
  std::size_t first_item() const { return inputs.empty() ? 0 : size_of(inputs[0].dtype()); }
  /// Outputs along the last axis of the loop over them.
  std::int64_t neighbours() const noexcept { return loops.outer.extents[loops.outer.rank() - 1]; }
  /// Maximum number of resident threads of the device.
  std::int64_t threads() const noexcept {
    return std::int64_t{device.loop_blocks} * device.loop_block;
  }
  /// Blocks that are resident if they share outputs: their texts have registers for half of the
  /// threads of a unit (kSharingThreads).
  std::int64_t sharing_blocks(int block) const noexcept {
    const std::int64_t held = std::max<std::int64_t>(threads() / (2 * block), 1);
    return held < device.compute_units ? held : held - held % device.compute_units;
  }
};

/// A policy's choice, before outputs are split over blocks.
struct Candidate {
  ReductionSchedule schedule = {};
  std::int64_t smallest_split = 1;  ///< minimum elements per block
};

/// Neighbouring outputs of a thread that reads the aligned packs around their elements; 0 if it
/// reads packs of its own, which are no smaller, or single elements.
int covered_across(const ReductionProblem& problem, int own);

/// For groups of outputs, each a short piece of memory whose packs are narrow: a block copies
/// groups to shared memory; nothing for others.
std::optional<Candidate> choose_staged_groups(const ReductionProblem& problem);
/// For rows that have several outputs each and few elements; nothing for others.
std::optional<Candidate> choose_folded_columns(const ReductionProblem& problem);
/// For long rows of outputs that have a run of neighbouring elements each.
std::optional<Candidate> choose_run_columns(const ReductionProblem& problem);
/// For outputs whose neighbours are closer in memory than the elements of one.
Candidate choose_columns(const ReductionProblem& problem);
/// For the others.
Candidate choose_rows(const ReductionProblem& problem);

}  // namespace kernelbatch
