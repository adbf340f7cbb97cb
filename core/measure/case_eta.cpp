#include "core/measure/case_eta.hpp"

#include <algorithm>
#include <utility>

namespace kernelbatch {

void CaseEtaEstimator::begin(std::size_t ready, std::size_t waiting, double now) {
  timing_s_ += std::exchange(group_s_, 0);
  ready_ = ready;
  waiting_ = waiting;
  ended_ = 0;
  begin_ = timed_ = now;
  spent_on_evidence_ = 0;
}

bool CaseEtaEstimator::is_due(double now) const {
  constexpr double kSeconds = 0.2;
  return told_ < 0 || now - told_ >= kSeconds;
}

void CaseEtaEstimator::on_timing(double left_s, std::size_t known, double now) {
  if (known == 0) return;
  // Variants that had no turn yet are expected to take as long as the others.
  const double left = left_s / static_cast<double>(known) * static_cast<double>(ready_);
  send(left + evidence_s_ * static_cast<double>(ready_), now - begin_ + left, now);
}

void CaseEtaEstimator::on_timed(double now) {
  timed_ = now;
  group_s_ = now - begin_;
}

void CaseEtaEstimator::on_end(double evidence_s, double now) {
  ++ended_;
  if (evidence_s > 0) evidence_s_ = evidence_s;
  spent_on_evidence_ += evidence_s;
  const double ends = std::max(now - timed_ - spent_on_evidence_, 0.0);
  const double of_each = ends / static_cast<double>(ended_);
  group_s_ = timed_ - begin_ + of_each * static_cast<double>(ready_);
  send((of_each + evidence_s_) * static_cast<double>(ready_ - std::min(ended_, ready_)), group_s_,
       now);
}

void CaseEtaEstimator::send(double left_s, double group_s, double now) {
  if (!is_due(now)) return;
  told_ = now;
  const double of_waiting = group_s / static_cast<double>(std::max<std::size_t>(ready_, 1)) *
                            static_cast<double>(waiting_);
  send_({.seconds = left_s + of_waiting + evidence_s_ * static_cast<double>(waiting_),
         .timing_s = timing_s_ + group_s + of_waiting,
         .evidence_s = evidence_s_});
}

}  // namespace kernelbatch
