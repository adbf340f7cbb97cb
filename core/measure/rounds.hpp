// Rounds: the variants of a case take turns at being timed.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>

#include "core/measure/timer.hpp"

namespace kernelbatch {

/// A verified variant while it is timed.
struct TimedVariant {
  std::string name;
  VariantTimer* timer = nullptr;
  std::exception_ptr failure = nullptr;   ///< what its work threw: it gets no more turns
  std::function<void()> leave_turn = {};  ///< called when another variant's turn comes
};

struct TurnHooks {
  /// Called before work of another variant than the last one runs. False ends the rounds.
  std::function<bool(const std::string& variant)> on_turn;
  /// Whether this failure leaves the device unusable for the others, which ends the rounds.
  std::function<bool(const std::exception_ptr& failure)> breaks_device;
  /// Called after each turn.
  std::function<void()> on_progress = [] {};
};

/// Times all variants, turn by turn, so that drift hits all alike: warm-up calls, cold samples, and
/// after those hot ones, whose batches warm the device up. Returns false where the rounds were
/// ended before every variant had its samples or failed. What a variant's work throws is kept in
/// its `failure`.
bool time_in_turns(std::span<TimedVariant> variants, const TurnHooks& hooks);

}  // namespace kernelbatch
