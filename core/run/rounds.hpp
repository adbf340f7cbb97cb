// Rounds: the variants of a case take turns at being timed.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/run/measure.hpp"

namespace kernelbatch {

/// Thrown through a variant whose timing was given up because another one broke the device: it has
/// no result yet.
class RoundsBroken final : public std::exception {
 public:
  const char* what() const noexcept override { return "another variant broke the device"; }
};

/// Keeps verified variants alive, each in its own call of measure(), until all of the case are
/// there; then times them together, turn by turn, so that drift hits all alike. Each variant waits
/// below the one before it on the stack: its function has not returned, so its arrays and kernels
/// are there.
class Rounds {
 public:
  struct Hooks {
    /// Runs the next variant of the case from its beginning; false where there is none, or where it
    /// must wait until those that are held have ended (there is no memory for one more).
    std::function<bool()> run_next;
    /// Told before work of another variant than the last one runs. What it throws breaks the
    /// rounds.
    std::function<void(const std::string& variant)> on_turn;
    /// Whether this failure leaves the device unusable for the others.
    std::function<bool(const std::exception_ptr& failure)> breaks_device;
  };

  Rounds(bool is_interleaved, Hooks hooks)
      : is_interleaved_(is_interleaved), hooks_(std::move(hooks)) {}

  /// Called by a variant's measure(). Returns when `timer` has all its samples. Throws what the
  /// variant's work threw during its turn, or RoundsBroken.
  void time(const std::string& variant, VariantTimer& timer);

  /// After the last variant of the case: throws what run_next threw, if anything.
  void rethrow() const;

  /// Variants that are alive and wait.
  std::size_t held() const noexcept { return held_.size(); }

 private:
  struct Held {
    std::string variant;
    VariantTimer* timer;
    std::exception_ptr failure = nullptr;
  };
  void time_all();
  /// Turns for those that want one, until none does.
  void go_round(const std::function<bool(VariantTimer&)>& wants,
                const std::function<void(VariantTimer&, bool is_alone)>& turn);
  bool pass_turn_to(const std::string& variant);
  void take_turn(Held& held, const std::function<void(VariantTimer&, bool is_alone)>& turn);

  bool is_interleaved_;
  Hooks hooks_;
  std::vector<Held> held_;
  std::string last_;
  std::exception_ptr fatal_;
  bool is_timed_ = false, is_broken_ = false;
};

}  // namespace kernelbatch
