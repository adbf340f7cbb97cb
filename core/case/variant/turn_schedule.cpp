#include "core/case/variant/turn_schedule.hpp"

#include <algorithm>

namespace kernelbatch {
namespace {

/// Mean number of calls between two exchanges of inputs, and the share of the time that exchanges
/// may take.
constexpr double kMeanTurn = 8, kExchangeShare = 0.04;

}  // namespace

void TurnSchedule::begin(int first_calls, std::mt19937_64& random) {
  is_active_ = true;
  since_ = MeasuringClock::now();
  until_exchange_ = std::uniform_int_distribution<std::int64_t>(1, first_calls)(random);
}

void TurnSchedule::on_exchange(double seconds, std::mt19937_64& random) {
  const double call_s =
      seconds_since(since_) / static_cast<double>(std::max<std::int64_t>(1, calls_));
  const double mean = std::max(kMeanTurn, seconds / (kExchangeShare * call_s));
  until_exchange_ = 1 + std::geometric_distribution<std::int64_t>(1 / mean)(random);
}

}  // namespace kernelbatch
