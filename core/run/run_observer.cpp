#include "core/run/run_observer.hpp"

namespace kernelbatch {

RunObserver::~RunObserver() = default;

void RunObserver::on_cases(const std::vector<const PlannedCase*>&) {}
void RunObserver::on_eta(const ProcessEta&) {}
void RunObserver::on_calibration(const DeviceCalibration&) {}

}  // namespace kernelbatch
