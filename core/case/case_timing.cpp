// CaseRun: variants take turns.

#include <utility>

#include "core/base/clock.hpp"
#include "core/case/case_run.hpp"
#include "core/case/failure.hpp"
#include "core/measure/rounds.hpp"

namespace kernelbatch {

void CaseRun::prepare_waiting() {
  lacks_memory_ = false;
  while (!waiting_.empty() && !lacks_memory_ && !must_restart_worker_ && pass_turn() &&
         !must_renew_) {
    prepare_next();
    if (!ready_.empty() && !wanted_.measure.interleave) return;
  }
}

void CaseRun::time_ready() {
  // Variants without a result at this point are run by a fresh process.
  std::vector<std::unique_ptr<PreparedVariant>> ready = std::exchange(ready_, {});
  if (must_restart_worker_) return;
  std::vector<TimedVariant> timed;
  std::vector<std::exception_ptr> failures(ready.size());
  for (std::size_t k = 0; k < ready.size(); ++k) {
    TimedVariant each{ready[k]->variant().name, nullptr, nullptr,
                      [&left = *ready[k]] { left.leave_turn(); }};
    try {
      each.timer = &ready[k]->timer(place_.tools);
    } catch (...) {
      failures[k] = std::current_exception();
      continue;
    }
    timed.push_back(std::move(each));
  }
  const auto take_turn = [this](const std::string& name) {
    if (name != running_ && !pass_turn()) return false;
    running_ = name;
    place_.on_phase(name, Phase::kMeasure);
    return true;
  };
  const auto breaks_device = [this](const std::exception_ptr& failure) {
    return place_.device.properties().is_lost_by_crash && is_crash(failure);
  };
  const auto send_eta = [&] {
    const double now = seconds_since(begin_);
    if (!eta_.is_due(now)) return;
    double left = 0;
    std::size_t known = 0;
    for (const TimedVariant& each : timed) {
      if (each.failure || each.timer->spent_s() == 0) continue;
      left += each.timer->left_s();
      ++known;
    }
    eta_.on_timing(left, known, now);
  };
  eta_.begin(timed.size(), waiting_.size(), seconds_since(begin_));
  const bool is_complete = time_in_turns(
      timed, {.on_turn = take_turn, .breaks_device = breaks_device, .on_progress = send_eta});
  eta_.on_timed(seconds_since(begin_));
  for (std::size_t k = 0, at = 0; k < ready.size(); ++k) {
    if (!failures[k]) failures[k] = timed[at++].failure;
    if (must_restart_worker_ || (!is_complete && !failures[k])) continue;
    if (ready[k]->variant().name != running_ && !take_turn(ready[k]->variant().name)) return;
    if (!failures[k]) attempt(*ready[k], [&] { ready[k]->finish(); });
    const double evidence_s = ready[k]->evidence_s();
    finish(std::move(ready[k]), failures[k]);
    eta_.on_end(evidence_s, seconds_since(begin_));
  }
  if (!is_complete) must_restart_worker_ = true;
}

}  // namespace kernelbatch
