// Packs and lanes of a reduction's rows, and the schedules of short ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/kernel/loop/counts.hpp"
#include "core/kernel/reduction/candidate.hpp"
#include "core/kernel/reduction/packs.hpp"

namespace kernelbatch {

/// Packs of a row, and its lanes: common to all patterns along rows.
struct Row {
  int pack, lanes;
  std::int64_t packs;
  bool is_shifted = false;
  std::int64_t slice = 1, cuts = 1;
};

inline Row row_of(const ReductionProblem& problem) {
  const int pack = pack_width(problem.loops, problem.inputs, problem.device);
  const std::int64_t packs = ceil_divide(problem.count(), pack);
  return {pack, power_of_two(packs, problem.device.loop_lanes), packs};
}

/// Lanes of a row without packs, as a share of its packs.
inline double idle_share(const Row& row) {
  return static_cast<double>(ceil_divide(row.packs, row.lanes) * row.lanes - row.packs) /
         static_cast<double>(row.packs);
}

inline bool has_widest_packs(const ReductionProblem& problem, const Row& row) {
  return std::ranges::all_of(problem.inputs, [&](const Array& input) {
    return row.pack * static_cast<int>(size_of(input.dtype())) >= problem.device.vector_bytes;
  });
}

/// For short and numerous rows whose packs are narrow or leave lanes idle: a block copies whole
/// rows to shared memory; nothing otherwise.
std::optional<Candidate> choose_staged_rows(const ReductionProblem& problem, const Row& row);
/// For rows so short and numerous that lanes process whole rows, several at once; nothing
/// otherwise.
std::optional<Candidate> choose_batched_rows(const ReductionProblem& problem, const Row& row);

}  // namespace kernelbatch
