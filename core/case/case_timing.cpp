// CaseRun: variants take turns.

#include <utility>

#include "core/case/case_run.hpp"
#include "core/case/failure.hpp"
#include "core/measure/rounds.hpp"

namespace kernelbatch {
namespace {

/// Sends the time left for samples, if it is due at `now`.
void report_timing(CaseEtaEstimator& eta, const std::vector<TimedVariant>& timed, double now) {
  if (!eta.is_due(now)) return;
  double left = 0;
  std::size_t known = 0;
  for (const TimedVariant& each : timed) {
    if (each.failure || each.timer->spent_s() == 0) continue;
    left += each.timer->left_s();
    ++known;
  }
  eta.on_timing(left, known, now);
}

}  // namespace

bool CaseRun::take_turn(const std::string& variant) {
  if (variant != process_.running() && !pass_turn()) return false;
  process_.run(variant);
  place_.on_phase(variant, Phase::kMeasure);
  return true;
}

void CaseRun::prepare_waiting() {
  lacks_memory_ = false;
  while (!waiting_.empty() && !lacks_memory_ && !must_restart_worker_ && pass_turn() &&
         !must_renew()) {
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
  eta_.begin(timed.size(), waiting_.size(), variants_.seconds());
  const bool is_complete = time_in_turns(
      timed, {.on_turn = [this](const std::string& name) { return take_turn(name); },
              .breaks_device =
                  [this](const std::exception_ptr& failure) {
                    return place_.device.properties().is_lost_by_crash && is_crash(failure);
                  },
              .on_progress = [&] { report_timing(eta_, timed, variants_.seconds()); }});
  eta_.on_timed(variants_.seconds());
  for (std::size_t k = 0, at = 0; k < ready.size(); ++k) {
    if (!failures[k]) failures[k] = timed[at++].failure;
    if (must_restart_worker_ || (!is_complete && !failures[k])) continue;
    if (ready[k]->variant().name != process_.running() && !take_turn(ready[k]->variant().name))
      return;
    if (!failures[k]) attempt(*ready[k], [&] { ready[k]->finish(); });
    const double evidence_s = ready[k]->evidence_s();
    finish(std::move(ready[k]), failures[k]);
    eta_.on_end(evidence_s, variants_.seconds());
  }
  if (!is_complete) must_restart_worker_ = true;
}

}  // namespace kernelbatch
