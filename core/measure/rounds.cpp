#include "core/measure/rounds.hpp"

#include "core/device/annotation.hpp"

namespace kernelbatch {
namespace {

class Rounds {
 public:
  Rounds(std::span<TimedVariant> variants, const TurnHooks& hooks)
      : variants_(variants), hooks_(hooks) {}

  bool run() {
    for (TimedVariant& each : variants_)
      if (!take_turn(each, [](VariantTimer& timer, bool) { timer.prepare(); })) return false;
    return go_round([](VariantTimer& timer) { return timer.wants_cold(); },
                    [](VariantTimer& timer, bool is_alone) { timer.take_cold(is_alone); }) &&
           go_round([](VariantTimer& timer) { return timer.wants_hot(); },
                    [](VariantTimer& timer, bool) { timer.take_hot(); });
  }

 private:
  /// Gives a turn to each variant that wants one, until none does.
  template <class Wants, class Turn>
  bool go_round(const Wants& wants, const Turn& turn) {
    for (bool again = true; again;) {
      again = false;
      for (TimedVariant& each : variants_) {
        if (each.failure || !wants(*each.timer)) continue;
        if (!take_turn(each, turn)) return false;
        again = true;
      }
    }
    return true;
  }

  template <class Turn>
  bool take_turn(TimedVariant& variant, const Turn& turn) {
    const AnnotatedRange range(variant.name + " measure");
    const bool is_alone = last_ == &variant;
    if (!is_alone && !leave(last_)) return false;
    if (!is_alone && !hooks_.on_turn(variant.name)) return false;
    last_ = &variant;
    try {
      turn(*variant.timer, is_alone);
    } catch (...) {
      variant.failure = std::current_exception();
      return !hooks_.breaks_device(variant.failure);
    }
    hooks_.on_progress();
    return true;
  }

  bool leave(TimedVariant* variant) {
    if (variant == nullptr || variant->failure || !variant->leave_turn) return true;
    try {
      variant->leave_turn();
    } catch (...) {
      variant->failure = std::current_exception();
      return !hooks_.breaks_device(variant->failure);
    }
    return true;
  }

  std::span<TimedVariant> variants_;
  const TurnHooks& hooks_;
  TimedVariant* last_ = nullptr;
};

}  // namespace

bool time_in_turns(std::span<TimedVariant> variants, const TurnHooks& hooks) {
  return Rounds(variants, hooks).run();
}

}  // namespace kernelbatch
