#include "core/run/rounds.hpp"

#include "core/device/annotation.hpp"

namespace kernelbatch {

void Rounds::time(const std::string& variant, VariantTimer& timer) {
  held_.push_back({variant, &timer});
  try {
    // Whoever is called here stays above this frame until all have been timed.
    while (is_interleaved_ && !is_timed_ && !is_broken_ && hooks_.run_next()) {
    }
  } catch (...) {
    // Not this variant's fault: kept for the end of the case.
    fatal_ = std::current_exception();
    is_broken_ = true;
  }
  if (!is_timed_ && !is_broken_) {
    last_.clear();  // it may have been one that is not held
    time_all();
  }
  is_timed_ = true;
  const Held own = held_.back();
  held_.pop_back();
  if (held_.empty()) is_timed_ = false;
  if (own.failure) std::rethrow_exception(own.failure);
  if (is_broken_) throw RoundsBroken();
  if (last_ != variant && !pass_turn_to(variant)) throw RoundsBroken();
}

bool Rounds::pass_turn_to(const std::string& variant) {
  last_ = variant;
  try {
    hooks_.on_turn(variant);
    return true;
  } catch (...) {
    fatal_ = std::current_exception();
    is_broken_ = true;
    return false;
  }
}

void Rounds::rethrow() const {
  if (fatal_) std::rethrow_exception(fatal_);
}

void Rounds::take_turn(Held& held, const std::function<void(VariantTimer&, bool)>& turn) {
  const AnnotatedRange range(held.variant + " measure");
  const bool is_alone = last_ == held.variant;
  if (!is_alone && !pass_turn_to(held.variant)) return;
  try {
    turn(*held.timer, is_alone);
  } catch (...) {
    held.failure = std::current_exception();
    is_broken_ = hooks_.breaks_device(held.failure);
  }
}

void Rounds::go_round(const std::function<bool(VariantTimer&)>& wants,
                      const std::function<void(VariantTimer&, bool)>& turn) {
  for (bool again = true; again;) {
    again = false;
    for (Held& held : held_) {
      if (is_broken_ || held.failure || !wants(*held.timer)) continue;
      take_turn(held, turn);
      again = true;
    }
  }
}

void Rounds::time_all() {
  for (Held& held : held_)
    if (!is_broken_) take_turn(held, [](VariantTimer& timer, bool) { timer.prepare(); });
  go_round([](VariantTimer& timer) { return timer.wants_cold(); },
           [](VariantTimer& timer, bool is_alone) { timer.take_cold(is_alone); });
  // After the cold ones: batches warm the device up.
  go_round([](VariantTimer& timer) { return timer.wants_hot(); },
           [](VariantTimer& timer, bool) { timer.take_hot(); });
}

}  // namespace kernelbatch
