// Numbers of instructions by kind in a compiled kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// By the executing unit.
enum class InstructionKind : std::uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kMatrix,   ///< tensor cores
  kSpecial,  ///< reciprocals, roots, sines, exponentials, conversions
  kInteger,  ///< also moves and comparisons
  kGlobalLoad,
  kGlobalStore,
  kShared,
  kLocal,  ///< registers that were spilled, and arrays of a thread
  kGlobalAtomic,
  kSharedAtomic,
  kBranch,  ///< conditional
  kBarrier,
  kShuffle,
  kReconverge,  ///< diverged threads of a warp wait for each other
  kOther
};
inline constexpr std::size_t kInstructionKinds = 17;
template <>
struct Names<InstructionKind> {
  static constexpr Named<InstructionKind> rows[kInstructionKinds] = {
      {InstructionKind::kFloat32, "float32"},
      {InstructionKind::kFloat64, "float64"},
      {InstructionKind::kFloat16, "float16"},
      {InstructionKind::kMatrix, "matrix"},
      {InstructionKind::kSpecial, "special"},
      {InstructionKind::kInteger, "integer"},
      {InstructionKind::kGlobalLoad, "global_load"},
      {InstructionKind::kGlobalStore, "global_store"},
      {InstructionKind::kShared, "shared"},
      {InstructionKind::kLocal, "local"},
      {InstructionKind::kGlobalAtomic, "global_atomic"},
      {InstructionKind::kSharedAtomic, "shared_atomic"},
      {InstructionKind::kBranch, "branch"},
      {InstructionKind::kBarrier, "barrier"},
      {InstructionKind::kShuffle, "shuffle"},
      {InstructionKind::kReconverge, "reconverge"},
      {InstructionKind::kOther, "other"}};
};

inline constexpr double kLoopWeight = 8;

/// Estimated instructions of one thread: instructions in loops count kLoopWeight times for each
/// enclosing loop. Without loops no thread runs more.
struct InstructionMix {
  std::array<double, kInstructionKinds> counts{};  ///< by kind
  double global_bytes = 0, shared_bytes = 0;       ///< loaded and stored
  int loops = 0;

  double& operator[](InstructionKind kind) noexcept {
    return counts[static_cast<std::size_t>(kind)];
  }
  double operator[](InstructionKind kind) const noexcept {
    return counts[static_cast<std::size_t>(kind)];
  }
};

}  // namespace kernelbatch
