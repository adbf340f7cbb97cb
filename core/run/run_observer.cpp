#include "core/run/run_observer.hpp"

namespace kernelbatch {

RunObserver::~RunObserver() = default;

void RunObserver::on_calibration(const DeviceCalibration&) {}

}  // namespace kernelbatch
