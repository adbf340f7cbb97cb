#include "core/run/duration/run_eta.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernelbatch {
namespace {

/// Time of a worker's start, with a GPU context and the first call of each variant. The first
/// process may take much longer, since it also compiles.
constexpr double kMostStartSeconds = 0.5;

}  // namespace

RunEta::RunEta(std::vector<double> expected)
    : expected_(std::move(expected)),
      after_(std::accumulate(expected_.begin(), expected_.end(), 0.0)) {}

void RunEta::begin_case(std::size_t place, double now) {
  if (place >= expected_.size() || (has_begun_ && place <= place_)) return;
  if (has_begun_) {
    taken_ += as_of_any_case(case_start_s_, now - begin_ - case_start_s_);
    was_expected_ += expected_of_case();
    is_first_case_ = false;
  }
  for (std::size_t k = has_begun_ ? place_ + 1 : 0; k <= place; ++k) after_ -= expected_[k];
  place_ = place;
  begin_ = now;
  has_begun_ = true;
  has_eta_ = false;
  repeat_s_ = -1;
  timing_s_ = case_start_s_ = 0;
}

void RunEta::update(const ProcessEta& eta, double now) {
  if (!has_begun_) return;
  const bool is_next = has_eta_ && eta.process > eta_.process;
  if (is_next) {
    // The first process also makes inputs, compiles and gathers evidence.
    if (eta_.process > 1) repeat_s_ = now - process_begin_;
    process_begin_ = now;
  }
  const bool is_first_of_process = is_next || !has_eta_ || eta_.left_s < 0;
  if (eta.left_s >= 0 && is_first_of_process) {
    const double timed = std::max(eta.timing_s - eta.left_s, 0.0);
    if (eta.process > 1) start_s_ = std::max(now - process_begin_ - timed, 0.0);
    if (eta.process == 1) case_start_s_ = std::max(now - begin_ - timed, 0.0);
    if (eta.process == 1 && start_s_ < 0)
      start_s_ = std::clamp(now - begin_ - timed, 0.0, kMostStartSeconds);
  }
  if (eta.left_s >= 0) timing_s_ = eta.timing_s;
  eta_ = eta;
  told_ = now;
  has_eta_ = true;
}

double RunEta::pace(double more_taken, double more_expected) const {
  // Includes a quarter of the running case as if it had gone as expected, so that one unusual case
  // does not dominate.
  const double usual = expected_of_case() / 4;
  return (usual + taken_ + more_taken) / (usual + was_expected_ + more_expected);
}

double RunEta::as_of_any_case(double start_s, double rest_s) const {
  // The part of the start that later cases may repeat: making inputs and the reference is included
  // in the expectation.
  if (is_first_case_) start_s = std::min(start_s, std::max(rest_s, expected_of_case()));
  return start_s + rest_s;
}

double RunEta::repeat_s() const {
  return repeat_s_ >= 0 ? repeat_s_ : timing_s_ + std::max(start_s_, 0.0);
}

double RunEta::case_left(double now) const {
  if (!has_eta_)
    return std::max(pace(0, 0) * expected_of_case() - (now - begin_), 0.05 * expected_of_case());
  const double left =
      eta_.left_s < 0 ? repeat_s() - (now - process_begin_) : eta_.left_s - (now - told_);
  return std::max(left, 0.0) + repeat_s() * std::max(eta_.processes - eta_.process, 0);
}

double RunEta::left(double now) const {
  if (!has_begun_ || expected_of_case() <= 0) return -1;
  const double left = case_left(now);
  const double so_far = now - begin_, start = has_eta_ ? case_start_s_ : so_far;
  return left + after_ * pace(as_of_any_case(start, so_far - start + left), expected_of_case());
}

}  // namespace kernelbatch
