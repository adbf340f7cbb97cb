// Rounds: the variants of a case are timed alternately.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>

#include "core/measure/timer.hpp"

namespace kernelbatch {

/// A verified variant during timing.
struct TimedVariant {
  std::string name;
  VariantTimer* timer = nullptr;
  std::exception_ptr failure = nullptr;   ///< exception of its work: it gets no more turns
  std::function<void()> leave_turn = {};  ///< called before another variant's turn
};

struct TurnHooks {
  /// Called before work of another variant than the last one runs. Returning false ends the rounds.
  std::function<bool(const std::string& variant)> on_turn;
  /// True if this failure makes the device unusable for the others, which ends the rounds.
  std::function<bool(const std::exception_ptr& failure)> breaks_device;
  /// Called after each turn.
  std::function<void()> on_progress = [] {};
};

/// Times all variants alternately, so that drift affects all equally: warm-up calls, cold samples,
/// and then hot ones, whose batches heat the device up. Returns false if the rounds ended before
/// every variant had its samples or failed. An exception of a variant's work is stored in its
/// `failure`.
bool time_in_turns(std::span<TimedVariant> variants, const TurnHooks& hooks);

}  // namespace kernelbatch
