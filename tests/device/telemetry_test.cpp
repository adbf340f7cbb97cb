// Telemetry through NVML, with a fake NVML (LD_LIBRARY_PATH names its folder).
#include "core/device/telemetry.hpp"

#include <cmath>

#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

std::unique_ptr<Telemetry> open_gpu(const std::string& uuid, const std::string& pci = "") {
  DeviceProperties properties = properties_of_target("sm_90");
  properties.uuid = uuid;
  properties.pci = pci;
  return open_telemetry(properties);
}

TEST_CASE("A GPU's readings are in base units") {
  const auto telemetry = open_gpu("GPU-1");
  const TelemetryReading reading = telemetry->read();
  CHECK(telemetry->absence().empty());
  CHECK(reading.sm_clock == Approx(1755e6));
  CHECK(reading.power == Approx(412.5));
  CHECK(reading.energy == Approx(7.5));
  CHECK(reading.temperature == Approx(41));
  CHECK_FALSE(reading.is_throttled);
  CHECK_FALSE(reading.is_power_capped);
}

TEST_CASE("A GPU not found by UUID is found by bus ID, or not at all") {
  CHECK(open_gpu("GPU-2", "0000:01:00.0")->read().power == Approx(412.5));
  const auto nowhere = open_gpu("GPU-2", "0000:02:00.0");
  CHECK_THAT(nowhere->absence(), Contains("does not give the device (Not Found)"));
  CHECK(std::isnan(nowhere->read().sm_clock));
}

TEST_CASE("A slice reports its whole GPU's readings, with a note") {
  const auto slice = open_gpu("MIG-1");
  CHECK(slice->read().power == Approx(412.5));
  CHECK(slice->absence() == "power, energy and temperature are those of the whole GPU");
}

TEST_CASE("Refused readings are absent with a reason; others are present") {
  const test::EnvironmentVariable state("FAKE_NVML", "no_power no_energy");
  const auto telemetry = open_gpu("GPU-1");
  CHECK(telemetry->absence() ==
        "NVML gives no power (Insufficient Permissions), energy (Not Supported)");
  const TelemetryReading reading = telemetry->read();
  CHECK(std::isnan(reading.power));
  CHECK(std::isnan(reading.energy));
  CHECK(reading.temperature == Approx(41));
}

TEST_CASE("Slowdowns are distinguished from a power limit") {
  const auto reading_in = [](const char* state) {
    const test::EnvironmentVariable variable("FAKE_NVML", state);
    return open_gpu("GPU-1")->read();
  };
  CHECK(reading_in("hot").throttle_reason == "heat");
  CHECK(reading_in("brake").throttle_reason == "power brake");
  CHECK(reading_in("hot").is_throttled);
  CHECK_FALSE(reading_in("capped").is_throttled);
  CHECK(reading_in("capped").is_power_capped);
}

TEST_CASE("The host reports that it has no telemetry") {
  const auto host = open_telemetry(properties_of(choose_device("host")));
  CHECK(host->absence() == "no telemetry of the host");
  CHECK(std::isnan(host->read().power));
}

}  // namespace
}  // namespace kernelbatch
