#include "core/measure/telemetry_log.hpp"

#include <chrono>
#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// Returns one reading after the other, then the last one repeatedly.
class Told final : public Telemetry {
 public:
  explicit Told(std::vector<TelemetryReading> readings) : readings_(std::move(readings)) {}
  TelemetryReading read() override {
    ++count;
    const std::size_t at = std::min(next_++, readings_.size() - 1);
    return readings_[at];
  }
  const std::string& absence() const override { return absence_; }
  int count = 0;

 private:
  std::vector<TelemetryReading> readings_;
  std::size_t next_ = 0;
  std::string absence_;
};

TEST_CASE("Clock and power are read right after work") {
  Told told({{345e6, 70, 1000, 30, false, false, ""}, {1980e6, 500, 1004, 35, false, true, ""}});
  TelemetryLog log(&told);
  log.begin_turn();
  CHECK(log.knows_clock());
  log.end_turn();
  const TelemetrySummary summary = log.summary();
  CHECK(summary.sm_clock == 1980e6);
  CHECK(summary.power == 500);
  CHECK(summary.temperature == 35);
  CHECK(summary.was_power_capped);
}

TEST_CASE("Unreadable quantities stay unknown") {
  Told told({{kMissing, kMissing, kMissing, kMissing, true, false, "heat"}});
  TelemetryLog log(&told);
  log.begin_turn();
  log.end_turn();
  const TelemetrySummary summary = log.summary();
  CHECK(std::isnan(summary.sm_clock));
  CHECK(std::isnan(summary.power));
  CHECK(log.throttle_reason() == "heat");
  CHECK_FALSE(log.knows_clock());
}

TEST_CASE("Readings take at most 5 % of the time") {
  using std::chrono::milliseconds;
  CHECK(Telemetry::rest_after(milliseconds(5)) == milliseconds(100));
  CHECK(Telemetry::rest_after(milliseconds(0)) == milliseconds(10));
}

TEST_CASE("A power cap before a variant's own turn is not the variant's") {
  Told told({{1e9, 700, 5, 60, false, true, ""}, {1e9, 300, 6, 60, false, false, ""}});
  TelemetryLog log(&told);
  log.begin_turn();
  log.end_turn();
  CHECK_FALSE(log.summary().was_power_capped);
}

TEST_CASE("Many short turns cost few readings, and none without telemetry") {
  Told told({{1e9, 100, 5, 40, false, false, ""}});
  TelemetryLog log(&told);
  for (int k = 0; k < 10000; ++k) {
    log.begin_turn();
    log.end_turn();
  }
  CHECK(told.count < 1000);

  TelemetryLog none(nullptr);
  none.begin_turn();
  none.end_turn();
  CHECK_FALSE(none.is_read());
  CHECK(std::isnan(none.summary().power));
}

}  // namespace
}  // namespace kernelbatch
