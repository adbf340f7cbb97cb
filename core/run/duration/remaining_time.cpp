#include "core/run/duration/remaining_time.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernelbatch {

RemainingTime::RemainingTime(std::vector<double> expected)
    : expected_(std::move(expected)),
      after_(std::accumulate(expected_.begin(), expected_.end(), 0.0)) {}

void RemainingTime::begin_case(std::size_t place, double now) {
  if (place >= expected_.size() || (has_begun_ && place <= place_)) return;
  if (has_begun_) {
    taken_ += now - begin_;
    was_expected_ += expected_of_case();
  }
  for (std::size_t k = has_begun_ ? place_ + 1 : 0; k <= place; ++k) after_ -= expected_[k];
  place_ = place;
  begin_ = now;
  has_begun_ = true;
  has_outlook_ = false;
  repeat_s_ = -1;
}

void RemainingTime::tell(const Outlook& outlook, double now) {
  if (!has_begun_) return;
  if (!has_outlook_) {
    process_begin_ = now;
  } else if (outlook.process > outlook_.process) {
    // Of the first process this is its timing alone: the rest is not done again.
    repeat_s_ = now - process_begin_;
    process_begin_ = now;
  }
  outlook_ = outlook;
  told_ = now;
  has_outlook_ = true;
}

double RemainingTime::pace(double more_taken, double more_expected) const {
  // As if a quarter of the case that runs had gone as expected: one odd case is no rule.
  const double usual = expected_of_case() / 4;
  return (usual + taken_ + more_taken) / (usual + was_expected_ + more_expected);
}

double RemainingTime::case_left(double now) const {
  if (!has_outlook_)
    return std::max(pace(0, 0) * expected_of_case() - (now - begin_), 0.05 * expected_of_case());
  const double in_process = now - process_begin_;
  const double left = outlook_.left_s < 0 ? std::max(repeat_s_ - in_process, 0.0)
                                          : std::max(outlook_.left_s - (now - told_), 0.0);
  const double repeat = repeat_s_ >= 0 ? repeat_s_ : in_process + left;
  return left + repeat * std::max(outlook_.processes - outlook_.process, 0);
}

double RemainingTime::left(double now) const {
  if (!has_begun_ || expected_of_case() <= 0) return -1;
  const double left = case_left(now);
  return left + after_ * pace(now - begin_ + left, expected_of_case());
}

}  // namespace kernelbatch
